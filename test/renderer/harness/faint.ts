import type { Page } from 'playwright-core'

const CONTROLS =
  '.button, .field, .select, .tile, .segments, .choice, .switch, .check input, .number-field, .combobox-checkbox'
/** Selected or current elements that only their background distinguishes from others. */
const SELECTED =
  ".button.selected, .job-row[aria-current='true'], .settings-nav [aria-current='page'], .segments input:checked + span, .tile:has(> input:checked), .compared-quality.chosen input"

/**
 * Finds controls whose border and background both have a contrast of less than 3:1 with the surrounding background, and selections
 * without a border or outline. Skips buttons that consist only of text.
 */
export const faint = (page: Page): Promise<readonly string[]> =>
  page.evaluate(
    ([controls, selected]) => {
      const pen = new OffscreenCanvas(1, 1).getContext('2d')
      if (pen === null) throw new Error('The page can’t draw')
      /** Returns the luminance of a color, or null if it is more transparent than not. */
      const luminance = (color: string): number | null => {
        pen.clearRect(0, 0, 1, 1)
        pen.fillStyle = color
        pen.fillRect(0, 0, 1, 1)
        const [red = 0, green = 0, blue = 0, alpha = 0] = [...pen.getImageData(0, 0, 1, 1).data].map((part) =>
          part <= 10 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4,
        )
        return alpha < 0.2 ? null : 0.2126 * red + 0.7152 * green + 0.0722 * blue
      }
      const around = (element: Element | null): number =>
        element === null
          ? 1
          : (luminance(getComputedStyle(element).backgroundColor) ?? around(element.parentElement))
      const contrast = (color: string, element: Element): number => {
        const own = luminance(color)
        if (own === null) return 0
        const other = around(element.parentElement)
        return (Math.max(own, other) + 0.05) / (Math.min(own, other) + 0.05)
      }
      const edge = (element: Element): number => {
        const style = getComputedStyle(element)
        const border = style.borderTopWidth === '0px' ? 0 : contrast(style.borderTopColor, element)
        return Math.max(border, style.outlineStyle === 'none' ? 0 : contrast(style.outlineColor, element))
      }
      const filling = (element: Element) => contrast(getComputedStyle(element).backgroundColor, element)
      const isText = (element: Element) => edge(element) === 0 && filling(element) === 0
      return [...document.querySelectorAll(`${controls}, ${selected}`)]
        .filter(
          (element) => element.checkVisibility() && !element.matches(':disabled, [aria-disabled="true"]'),
        )
        .filter((element) => {
          const needsEdge = element.matches(selected)
          if (!needsEdge && isText(element)) return false
          return Math.max(edge(element), needsEdge ? 0 : filling(element)) < 3
        })
        .map((element) => element.outerHTML.slice(0, 120))
    },
    [CONTROLS, SELECTED] as const,
  )
