// What a visitor finds on a page. Each function returns {error} or
// what it found; points are where to click, in CSS pixels of the window.
(() => {
  const squeeze = (text) => (text || '').replace(/\s+/g, ' ').trim();
  const visible = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0;
  const all = (selector, within) => [...(within || document).querySelectorAll(selector)];
  const quoted = (names) => [...new Set(names)].map((n) => JSON.stringify(n)).join(', ') || 'none';
  const tag = (e) => e.outerHTML.slice(0, e.outerHTML.indexOf('>') + 1).slice(0, 200);

  const byID = (ids) => (ids || '').split(/\s+/).map((id) => document.getElementById(id)).filter(Boolean);
  const described = (e) => byID(e.getAttribute('aria-labelledby')).map((x) => squeeze(x.innerText)).join(' ');
  // The text of a label without the text of the control in it.
  const labelText = (label) => {
    const inner = all('select, textarea, output', label).map((x) => squeeze(x.innerText)).filter(Boolean);
    return inner.reduce((text, x) => squeeze(text.replace(x, '')), squeeze(label.innerText));
  };
  const labels = (e) => [...(e.labels || [])].map(labelText)
    .concat(described(e), squeeze(e.getAttribute('aria-label'))).filter(Boolean);
  const texts = (e) => [squeeze(e.innerText), squeeze(e.getAttribute('aria-label')), described(e),
    e.matches('input') ? squeeze(e.value) : '', ...all('img[alt]', e).map((i) => squeeze(i.alt))].filter(Boolean);

  // The elements with exactly this name, or else the only one whose name contains it.
  const pick = (elements, names, wanted, what) => {
    wanted = squeeze(wanted);
    let found = elements.filter((e) => names(e).includes(wanted));
    if (!found.length) found = elements.filter((e) => names(e).some((n) => n.includes(wanted)));
    const same = found.length > 1 && found.every((e) => e.href && e.href === found[0].href);
    if (found.length === 1 || same) return { element: found[0] };
    if (found.length) return { error: `more than one ${what} has this text: ${found.map(tag).join(' ')}` };
    return { error: `no ${what} has this text; there are: ${quoted(elements.flatMap((e) => names(e).slice(0, 1)))}` };
  };

  const hits = (e, top) => top && (e === top || e.contains(top) || [...(e.labels || [])].some((l) => l.contains(top)));
  const point = (e) => {
    e.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    let over;
    for (const place of [e, ...(e.labels || [])]) {
      for (const r of place.getClientRects()) {
        const [x, y] = [r.left + r.width / 2, r.top + r.height / 2];
        over = document.elementFromPoint(x, y);
        if (hits(e, over)) return { x, y };
      }
    }
    return { error: `${tag(e)} is covered by ${over ? tag(over) : 'the edge of the window'}` };
  };
  const pointOf = (found) => (found.error ? found : point(found.element));

  const clickable = 'a[href], button, summary, input[type=submit], input[type=button], input[type=reset], ' +
    '[role=button], [role=link], [role=tab], [role=option], [role=menuitem]';
  const enabled = (found) => (found.element && found.element.disabled ? { error: `${tag(found.element)} is disabled` } : found);
  const control = (label, selector) => {
    const controls = all(selector || 'input:not([type=hidden]), select, textarea').filter((e) => visible(e) || [...(e.labels || [])].some(visible));
    return enabled(pick(controls, labels, label, 'label of a control'));
  };
  const fireChange = (e) => {
    e.dispatchEvent(new Event('input', { bubbles: true }));
    e.dispatchEvent(new Event('change', { bubbles: true }));
  };
  const set = (e, value) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(e, value);
    fireChange(e);
    return e.value === value ? {} : { error: `${tag(e)} does not take ${JSON.stringify(value)}` };
  };
  const option = (select, wanted) => {
    const found = pick([...select.options], (o) => [squeeze(o.label)], wanted, 'option');
    if (found.error) return found;
    if (found.element.disabled) return { error: `the option ${wanted} is disabled` };
    found.element.selected = true;
    fireChange(select);
    return {};
  };
  const groupName = (g) => [squeeze(g.querySelector('legend')?.innerText)].concat(described(g), squeeze(g.getAttribute('aria-label'))).filter(Boolean);

  const self = {
    scene: () => ({ URL: location.href, Text: squeeze(document.body?.innerText) }),
    state: () => ({ ready: document.readyState }),
    visibleText: () => squeeze(document.body?.innerText),
    first: (selector) => {
      const found = all(selector);
      return found.length ? point(found.find(visible) || found[0]) : { error: `nothing matches ${selector}` };
    },
    text: (selector) => {
      const e = document.querySelector(selector);
      return e ? { text: squeeze(e.innerText ?? e.textContent) } : { error: `nothing matches ${selector}` };
    },
    attribute: (selector, name) => {
      const e = document.querySelector(selector);
      return e ? { text: e.getAttribute(name) ?? '' } : { error: `nothing matches ${selector}` };
    },
    count: (selector) => all(selector).length,
    named: (text, container) => {
      const within = container && document.querySelector(container);
      if (container && !within) return { error: `nothing matches ${container}` };
      return pointOf(enabled(pick(all(clickable, within).filter(visible), texts, text, 'link or button')));
    },
    submit: (text) => {
      const buttons = all('button, input[type=submit]').filter((e) => e.form && e.type === 'submit' && visible(e));
      return pointOf(enabled(pick(buttons, texts, text, 'button that submits a form')));
    },
    // Puts the caret into the control with all its text selected, or sets the
    // value of a control that has no text to type.
    fill: (label, value) => {
      const found = control(label, 'input:not([type=hidden], [type=checkbox], [type=radio], [type=submit], [type=button]), textarea');
      if (found.error) return found;
      const e = found.element;
      if (e.readOnly) return { error: `${tag(e)} is read-only` };
      e.scrollIntoView({ block: 'center', behavior: 'instant' });
      e.focus();
      if (['date', 'datetime-local', 'month', 'week', 'time', 'color', 'range'].includes(e.type)) return { ...set(e, value), done: true };
      e.select();
      return document.activeElement === e ? {} : { error: `${tag(e)} cannot have the focus` };
    },
    value: (label) => {
      const found = control(label);
      return found.error ? found : { text: found.element.value };
    },
    // Takes the option of a list, or points at the radio button of a group.
    choose: (label, wanted) => {
      const group = all('fieldset, [role=radiogroup]').find((g) => groupName(g).includes(squeeze(label)) && visible(g));
      if (group) {
        const radios = all('input[type=radio]', group);
        return { ...pointOf(enabled(pick(radios, labels, wanted, 'radio button'))), click: true };
      }
      const found = control(label, 'select');
      return found.error ? found : option(found.element, wanted);
    },
    check: (label, on) => {
      const found = control(label, 'input[type=checkbox], input[type=radio]');
      if (found.error || found.element.checked === on) return { ...found, element: undefined, done: true };
      return pointOf(found);
    },
    focused: () => {
      const e = document.activeElement;
      if (!e || e === document.body || e === document.documentElement) return 'nothing';
      const kind = e.getAttribute('role') || (e.matches('a[href]') ? 'link' : e.matches('input') ? e.type : e.localName);
      const name = (e.matches('input:not([type=submit], [type=button]), select, textarea') ? labels(e) : texts(e))[0];
      return `${kind} ${JSON.stringify(squeeze(name || '').slice(0, 80))}`;
    },
  };
  return self;
})()
