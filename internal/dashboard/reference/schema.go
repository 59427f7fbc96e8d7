package reference

import (
	"cmp"
	"encoding/json"
	"html/template"
	"maps"
	"slices"
	"strings"
)

// node is a schema, or a property with its schema, and what is inside of it.
type node struct {
	Name     string // of the property; "" for an alternative
	Type     string // "string", "array of ListedCard", "object or null"
	Schema   string // name of the schema of the type or of its elements, or ""
	Link     string // name of the schema whose page shows what is inside of it, or ""
	Required bool
	Bounds   []string // "minimum 1", "pattern ^[A-Z]{2}$"
	Values   []string // the only values that it can have
	Default  string
	Text     template.HTML
	Children []*node
}

// maxDepth bounds how deep schemas are shown inside of each other. Deeper ones are links
// to their pages, so that no page is long.
const maxDepth = 2

func (b *modelBuilder) node(s *schema) *node { return b.nodeAt(s, 0) }

func (b *modelBuilder) nodeAt(s *schema, depth int) *node {
	if s == nil {
		return nil
	}
	n := &node{}
	if s.Ref != "" {
		target, err := find(s.Ref, s, b.Components.Schemas)
		b.failed(err)
		if err != nil {
			return n
		}
		if depth >= maxDepth && len(target.Properties) > 0 {
			name := refName(s.Ref)
			return &node{Type: name, Schema: name, Link: name}
		}
		n = b.nodeAt(target, depth+1)
		n.Schema = refName(s.Ref)
		return n
	}
	n.Type = strings.Join(s.Type, " or ")
	if s.Description != "" {
		n.Text = b.markdown(s.Description)
	}
	n.Bounds, n.Values, n.Default = bounds(s), values(s), plain(s.Default)
	b.addChildren(n, s, depth)
	return n
}

// addChildren adds what is inside of a schema: properties, values of a map,
// elements of an array, alternatives.
func (b *modelBuilder) addChildren(n *node, s *schema, depth int) {
	for _, name := range propertyOrder(s) {
		child := b.nodeAt(s.Properties[name], depth)
		child.Name, child.Required = name, slices.Contains(s.Required, name)
		n.Children = append(n.Children, child)
	}
	if inner := cmp.Or(s.Items, s.Additional); inner != nil {
		n.addElement(b.nodeAt(inner, depth))
	}
	var alternatives []string
	for _, inner := range slices.Concat(s.AnyOf, s.OneOf) {
		child := b.nodeAt(inner, depth)
		alternatives = append(alternatives, child.label())
		n.Link = cmp.Or(n.Link, child.Link)
		if len(child.Children) > 0 {
			n.Children = append(n.Children, child)
		}
	}
	if n.Type == "" {
		n.Type = strings.Join(alternatives, " or ")
	}
}

// HasAddition reports whether the page of a schema shows the mark of an addition.
func (n *node) HasAddition() bool {
	return strings.Contains(string(n.Text), additionMark) || slices.ContainsFunc(n.Children, (*node).HasAddition)
}

// addElement adds what the elements of an array or the values of a map are.
func (n *node) addElement(element *node) {
	kind, null, _ := strings.Cut(n.Type, " or ")
	if n.Type = kind + " of " + element.label(); null != "" {
		n.Type += " or " + null
	}
	n.Schema, n.Link, n.Children = element.Schema, element.Link, append(n.Children, element.Children...)
	n.Bounds, n.Values = append(n.Bounds, element.Bounds...), append(n.Values, element.Values...)
	n.Text = cmp.Or(n.Text, element.Text)
}

func (n *node) label() string {
	if n.Schema != "" && len(n.Children) > 0 {
		return n.Schema
	}
	return n.Type
}

// propertyOrder returns the names of a schema's properties: the required ones as
// the document lists them, then the others by name.
func propertyOrder(s *schema) []string {
	required := slices.DeleteFunc(slices.Clone(s.Required), func(name string) bool { return s.Properties[name] == nil })
	optional := slices.DeleteFunc(slices.Sorted(maps.Keys(s.Properties)), func(name string) bool { return slices.Contains(required, name) })
	return append(required, optional...)
}

// bounds returns the rules that a value obeys, as JSON Schema names them.
func bounds(s *schema) []string {
	var all []string
	for _, rule := range []struct{ name, value string }{
		{"format", s.Format}, {"minimum", s.Minimum.String()}, {"above", s.ExclusiveMin.String()}, {"maximum", s.Maximum.String()},
		{"minLength", s.MinLength.String()}, {"maxLength", s.MaxLength.String()}, {"minItems", s.MinItems.String()},
		{"maxItems", s.MaxItems.String()}, {"minProperties", s.MinProperties.String()}, {"pattern", s.Pattern},
	} {
		if rule.value != "" {
			all = append(all, rule.name+" "+rule.value)
		}
	}
	if s.PropertyNames != nil && s.PropertyNames.Pattern != "" {
		all = append(all, "keys "+s.PropertyNames.Pattern)
	}
	return all
}

func values(s *schema) []string {
	var all []string
	for _, value := range slices.Concat(s.Enum, []json.RawMessage{s.Const}) {
		if value != nil {
			all = append(all, plain(value))
		}
	}
	return all
}
