// An expression: a function that checks the page with axe, but not the elements of the selectors
// except. The contrast, which takes axe as long as all else, is that of one element of each look,
// unless it is to check all of them.
(async (except, all) => {
  const look = new Map(); // of an element, and of what it is in
  const lookOf = (e) => {
    if (!e) return "";
    if (!look.has(e)) {
      const s = getComputedStyle(e);
      look.set(e, [e.tagName, e.getAttribute("class"), s.color, s.backgroundColor, s.backgroundImage, s.opacity, s.fontSize, s.fontWeight, s.position, lookOf(e.parentElement)].join("|"));
    }
    return look.get(e);
  };
  const oneOfEachLook = () => {
    const found = [...document.querySelectorAll("input, select, textarea")], seen = new Set();
    const checked = (e) => except.every((selector) => !e.closest(selector));
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const e = texts.currentNode.parentElement;
      if (!texts.currentNode.data.trim() || !e.checkVisibility() || seen.has(lookOf(e))) continue;
      seen.add(lookOf(e));
      found.push(e);
    }
    return found.filter(checked);
  };
  const run = (include, runOnly, rules) => axe.run({ include, exclude: except }, { runOnly, rules, resultTypes: ["violations", "incomplete"] });
  const results = [await run([document], { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"] },
    { "target-size": { enabled: true }, "color-contrast": { enabled: all } })];
  const some = all ? [] : oneOfEachLook();
  if (some.length > 0) results.push(await run(some, { type: "rule", values: ["color-contrast"] }, {}));
  return { Violations: results.flatMap((r) => r.violations), Incomplete: results.flatMap((r) => r.incomplete) };
})
