package explore

import (
	"html/template"
	"net/url"
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
)

// Choice is a select element: a parameter that this page and the API share. A value that is
// not among the options counts as the first one.
type Choice struct {
	Name    string // of the parameter
	Label   string // key
	Options Options
}

// Option is an option of a select element.
type Option struct {
	Value, Name string
	Chosen      bool
}

// Options are the options of an element.
type Options []Option

// Elements returns the content of a select element, without end tags, which HTML does not need.
func (list Options) Elements() template.HTML {
	var m web.Markup
	for _, o := range list {
		m.Tags(`<option value="`)
		m.Text(o.Value)
		m.Tags(`"`)
		if o.Chosen {
			m.Tags(` selected`)
		}
		m.Tags(`>`)
		m.Text(o.Name)
	}
	return m.HTML()
}

// Boxes returns a checkbox with a name for each option.
func (list Options) Boxes(name string) template.HTML {
	var m web.Markup
	for _, o := range list {
		m.Tags(`<label><input type="checkbox" name="`)
		m.Text(name)
		m.Tags(`" value="`)
		m.Text(o.Value)
		m.Tags(`"`)
		if o.Chosen {
			m.Tags(` checked`)
		}
		m.Tags(`>`)
		m.Text(o.Name)
		m.Tags(`</label>`)
	}
	return m.HTML()
}

// NewChoice returns a choice of what the visitor chose; the first option stands for none.
func NewChoice(v *web.Visit, name, label string, options ...Option) Choice {
	chosen := slices.IndexFunc(options, func(o Option) bool { return strings.EqualFold(o.Value, v.Form(name)) })
	options[max(chosen, 0)].Chosen = true
	return Choice{name, label, options}
}

// value returns the chosen value.
func (c *Choice) value() string {
	return c.Options[slices.IndexFunc(c.Options, func(o Option) bool { return o.Chosen })].Value
}

// set adds the parameter to a query, if something is chosen.
func (c *Choice) set(q url.Values) {
	if value := c.value(); value != "" {
		q.Set(c.Name, value)
	}
}

// StoreChoice lets visitors choose a store.
func (e *Explorer) StoreChoice(v *web.Visit) Choice {
	options := []Option{{Name: v.T("explore.all")}}
	for _, platform := range catalog.Platforms() {
		options = append(options, Option{Value: platform.String(), Name: e.Site.PlatformName(platform)})
	}
	return NewChoice(v, "platform", "explore.platform", options...)
}

// cardTypes are the types that cards have, in the order of the filter.
var cardTypes = [...]catalog.Type{catalog.Game, catalog.EditionType, catalog.Bundle, catalog.DLC, catalog.SeasonPass, catalog.Subscription}

// TypeChoice lets visitors choose a type of cards.
func TypeChoice(v *web.Visit) Choice {
	options := []Option{{Name: v.T("explore.all-types")}}
	for _, t := range cardTypes {
		options = append(options, Option{Value: t.String(), Name: v.T("explore.types." + t.String())})
	}
	return NewChoice(v, "types", "explore.type-label", options...)
}

// maxDevices is how many devices a filter lists. MaxDeviceName is the length of the longest
// name that a filter offers, in bytes.
const maxDevices, MaxDeviceName = 40, 40

// DeviceChoice lets visitors choose a device.
func DeviceChoice(v *web.Visit, live *index.View) Choice {
	options := []Option{{Name: v.T("explore.all-devices")}}
	for _, name := range slices.Sorted(slices.Values(live.Columns().Devices.Values)) {
		// The API would read a comma as the end of the name.
		if len(name) <= MaxDeviceName && !strings.ContainsAny(name, ",;") && len(options) <= maxDevices {
			options = append(options, Option{Value: name, Name: name})
		}
	}
	return NewChoice(v, "platforms", "explore.device", options...)
}
