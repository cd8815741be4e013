import type { Page } from 'playwright-core'

/** Finds buttons, labels and hints in the job pane, the settings and the preset editor whose text is cut off. Names of files may be. */
export const isCutOff = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        ':is(.job-pane, .settings, .studio, dialog) :is(button, label, .label, h2, .hint, .callout, .summary-line, .summary-title, .segments), .comparison-foot p, .preset-form .select *, .condition > .select *, .draft-options .estimates > *, .combobox-foot *',
      ),
    ]
      .filter(
        (element) =>
          element.checkVisibility() &&
          element.closest('.select:not(.preset-form *, .condition > *), .visually-hidden') === null,
      )
      .filter((element) => !element.matches('.truncate'))
      .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
      .map((element) => element.outerHTML.slice(0, 160)),
  )
