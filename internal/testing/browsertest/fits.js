// Returns what does not fit the window of a page, as a list of sentences.
(() => {
  const squeeze = (text) => (text || '').replace(/\s+/g, ' ').trim();
  const visible = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const tag = (e) => e.outerHTML.slice(0, e.outerHTML.indexOf('>') + 1).slice(0, 160);
  const width = document.documentElement.clientWidth;
  const up = function* (e) { for (; e && e !== document.documentElement; e = e.parentElement) yield e; };

  // Text for screen readers alone: in a box of a pixel, or clipped to nothing.
  const hidden = (e) => [...up(e)].some((a) => {
    const style = getComputedStyle(a);
    const r = a.getBoundingClientRect();
    return style.position === 'absolute' && (r.width <= 1 || r.height <= 1) && style.overflow !== 'visible' ||
      /^rect\(0(px)?,? 0(px)?,? 0(px)?,? 0(px)?\)$/.test(style.clip) || /^inset\((50|100)%\)$/.test(style.clipPath);
  });
  // Elements outside of the window until they have the focus, such as skip links.
  const waiting = (r, e) => (r.right <= 0 || r.bottom + scrollY <= 0) &&
    [...up(e)].some((a) => ['absolute', 'fixed'].includes(getComputedStyle(a).position));
  const scrolls = (style) => ['auto', 'scroll'].includes(style.overflowX);
  const clips = (style) => ['hidden', 'clip'].includes(style.overflowX) && style.textOverflow !== 'ellipsis';

  // Why the rectangle of a text in e cannot be seen as a whole, or ''.
  const cutBy = (r, e) => {
    for (const a of up(e)) {
      const style = getComputedStyle(a);
      if (style.display === 'inline') continue;
      if (scrolls(style) || style.textOverflow === 'ellipsis') return '';
      const box = a.getBoundingClientRect();
      if (clips(style) && a !== document.body && (r.right > box.right + 1 || r.left < box.left - 1)) return `is cut off by ${tag(a)}`;
    }
    if (r.right > width + 1) return `ends ${Math.round(r.right - width)} px right of the window`;
    if (r.left < -1) return `begins ${Math.round(-r.left)} px left of the window`;
    return '';
  };

  const textsCut = () => {
    const found = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let n = walk.nextNode(); n; n = walk.nextNode()) {
      const e = n.parentElement;
      if (!squeeze(n.data) || e.closest('script, style, noscript, template, option, title') || !visible(e)) continue;
      const range = document.createRange();
      range.selectNodeContents(n);
      const why = [...range.getClientRects()].filter((r) => r.width > 0 && !waiting(r, e)).map((r) => cutBy(r, e)).find(Boolean);
      if (why && !hidden(e)) found.push(`the text ${JSON.stringify(squeeze(n.data).slice(0, 80))} ${why}`);
    }
    return found;
  };

  // Tables and code that are wider than what is around them: they need a box that scrolls, with
  // the keyboard, too. On phones no table scrolls: rows become cards.
  const phone = innerWidth <= 480;
  const tooWide = () => [...document.querySelectorAll('table, pre')].filter(visible).flatMap((e) => {
    const box = [...up(e)].find((a) => scrolls(getComputedStyle(a)));
    if (!box) return e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > width + 1 ? [`${tag(e)} is too wide and does not scroll`] : [];
    if (box.scrollWidth <= box.clientWidth + 1) return [];
    if (e.localName === 'table' && phone) return [`${tag(e)} is ${box.scrollWidth} px wide and scrolls in a box of ${box.clientWidth}`];
    return box.tabIndex < 0 ? [`${tag(e)} scrolls, but not with the keyboard`] : [];
  });

  // A link among the words of a paragraph is as high as its line.
  const inline = (e) => e.localName === 'a' && getComputedStyle(e).display === 'inline' &&
    squeeze(e.parentElement.innerText).length > squeeze(e.innerText).length;
  const union = (rects) => ({
    width: Math.max(...rects.map((r) => r.right)) - Math.min(...rects.map((r) => r.left)),
    height: Math.max(...rects.map((r) => r.bottom)) - Math.min(...rects.map((r) => r.top)),
  });
  const targets = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=tab], [role=option]';
  const smallTargets = () => [...document.querySelectorAll(targets)].filter((e) => visible(e) && !inline(e)).flatMap((e) => {
    const own = e.getBoundingClientRect();
    if (waiting(own, e)) return [];
    const labels = [...(e.labels || [])].filter(visible).map((l) => l.getBoundingClientRect());
    if (!labels.length && (!own.width || hidden(e))) return [];
    const r = e.matches('[type=checkbox], [type=radio]') ? union([own, ...labels]) : own;
    if (r.width >= 23.99 && r.height >= 23.99) return [];
    return [`${tag(e)} is ${Math.round(r.width * 10) / 10} × ${Math.round(r.height * 10) / 10} px; a target has 24 × 24`];
  });

  const outsideLabels = () => [...document.querySelectorAll('label input')].filter(visible).flatMap((e) => {
    const own = e.getBoundingClientRect(), label = e.closest('label').getBoundingClientRect();
    if (own.left >= label.left - .5 && own.right <= label.right + .5) return [];
    return [`${tag(e)} hangs out of its label`];
  });

  const scrollsSideways = () => {
    const needed = document.documentElement.scrollWidth;
    return needed > innerWidth ? [`the page scrolls sideways: it is ${needed} px wide in a window of ${innerWidth}`] : [];
  };
  const viewport = () => {
    const meta = document.querySelector('meta[name=viewport]');
    return meta && /width\s*=\s*device-width/.test(meta.content) ? [] : ['no <meta name="viewport" content="width=device-width…">: phones would show the page as on a desk'];
  };
  return [...viewport(), ...scrollsSideways(), ...textsCut(), ...tooWide(), ...smallTargets(), ...outsideLabels()];
})()
