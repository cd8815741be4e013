import type { Page } from 'playwright-core'

/** Finds visible elements that extend beyond the window's edge. */
export const overhanging = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.window *')]
      // A strip that scrolls may contain elements beyond the edge.
      .filter(
        (element) =>
          element.checkVisibility() &&
          // The preview cuts off its images.
          !element.closest('.visually-hidden, svg, img[src^="/pixels"]') &&
          // What a truncated line cuts off.
          element.parentElement?.closest('.thumbnail-strip, .truncate') === null,
      )
      .filter((element) => {
        const { left, right, width } = element.getBoundingClientRect()
        return width > 0 && (left < -1 || right > innerWidth + 1)
      })
      .map((element) => element.outerHTML.slice(0, 120)),
  )
