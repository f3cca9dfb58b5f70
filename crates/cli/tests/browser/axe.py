"""Accessibility checks of a page by axe-core."""

import os

RUN = """
const done = arguments[0];
const values = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
axe.run(document, { runOnly: { type: "tag", values }, resultTypes: ["violations"] })
  .then(({ violations }) => done(violations.map(({ id, nodes }) =>
    `${id}: ` + nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; "))),
  (error) => done([String(error)]));
"""


def source():
    """The source of axe-core; None if DEALERLESS_AXE is not set."""
    path = os.environ.get("DEALERLESS_AXE")
    if not path:
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


def violations(browser, text):
    """The violations that axe-core finds on the current page."""
    if not browser.run("return 'axe' in window"):
        browser.run(text)
    return browser.driver.execute_async_script(RUN)
