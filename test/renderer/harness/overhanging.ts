import type { Page } from 'playwright-core'

/** Finds visible elements that extend beyond the window's edge and can't be scrolled into it. Nothing scrolls sideways. */
export const overhanging = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const isInScroller = (element: Element | null): boolean =>
      element !== null &&
      (/auto|scroll/.test(getComputedStyle(element).overflowY) || isInScroller(element.parentElement))
    return (
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
          const { left, right, top, bottom, width } = element.getBoundingClientRect()
          if (width === 0) return false
          if (left < -1 || right > innerWidth + 1) return true
          return (top < -1 || bottom > innerHeight + 1) && !isInScroller(element.parentElement)
        })
        .map((element) => element.outerHTML.slice(0, 120))
    )
  })
