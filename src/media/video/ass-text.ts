/** Reads subtitles in Advanced SubStation Alpha and its predecessor, as Matroska stores them. */
import { type Line, MARKS, placeAt, USUAL_PLACE } from './subtitle-line.ts'

export type AssHeader = {
  /** Places of the styles, by name. The default style comes first. */
  readonly places: ReadonlyMap<string, number>
  readonly width: number
  readonly height: number
}

/** SSA counts from left to right, adds 4 for the top and 8 for the middle. */
const OLD_PLACES = [undefined, 1, 2, 3, undefined, 7, 8, 9, undefined, 4, 5, 6]

const USUAL_SIZE = { width: 384, height: 288 }

export function readAssHeader(header: string, kind: 'ass' | 'ssa'): AssHeader {
  const places = new Map<string, number>()
  let { width, height } = USUAL_SIZE
  let fields: readonly string[] = []
  for (const line of header.split(/\r?\n/)) {
    const [, key, rest = ''] = /^(Format|Style|PlayResX|PlayResY):(.*)$/.exec(line) ?? []
    if (key === 'PlayResX') width = Number(rest) || width
    if (key === 'PlayResY') height = Number(rest) || height
    const values = rest.split(',').map((value) => value.trim())
    // Skip the format of the events, which follows the format of the styles.
    if (key === 'Format' && values.includes('Alignment')) fields = values
    const alignment = Number(values[fields.indexOf('Alignment')])
    if (key !== 'Style' || !Number.isInteger(alignment)) continue
    places.set(values[0] ?? '', (kind === 'ssa' ? OLD_PLACES[alignment] : alignment) ?? USUAL_PLACE)
  }
  return { places, width, height }
}

const NO_HEADER: AssHeader = { places: new Map(), ...USUAL_SIZE }

/**
 * Matches an event. Eight fields precede the text, each followed by a comma: the third is the style, the seventh is the vertical margin,
 * and the eighth is an effect. The text may contain commas.
 */
const EVENT = /^[^,]*,[^,]*,([^,]*),(?:[^,]*,){3}([^,]*),([^,]*),([^]*)$/

export function readAssEvent(source: string, header = NO_HEADER): Line {
  const [, style = '', margin, effect = '', rest = ''] = EVENT.exec(source) ?? []
  // Between these overrides, the text is a vector drawing.
  const written = rest.replace(/\{[^{}]*\\p[1-9][^{}]*\}[^]*?(?:\{[^{}]*\\p0[^{}]*\}|$)/g, '')
  const { text, place, isStyled } = readOverrides(written)
  const [usual = style] = header.places.keys()
  const aligned = place ?? header.places.get(style) ?? USUAL_PLACE
  const at = pointOf(rest)
  return {
    text: text
      .replace(/\{[^{}]*\}/g, '')
      .replace(/\\[Nn]/g, '\n')
      .replace(/\\h/g, ' '),
    place:
      at === undefined
        ? moved(aligned, Number(margin) / header.height)
        : placeAt(at.x / header.width, at.y / header.height),
    isStyled: isStyled || written !== rest || effect !== '' || style !== usual,
  }
}

/** Moves a line away from its edge by the vertical margin, which is a share of the frame's height. */
function moved(place: number, margin: number): number {
  const row = Math.ceil(place / 3)
  if (row === 2 || !(margin > 0)) return place
  return placeAt((((place - 1) % 3) + 0.5) / 3, row === 3 ? margin : 1 - margin)
}

/** Reads where a line is shown, or begins to move. */
function pointOf(text: string) {
  const [, x, y] = /\\(?:pos|move)\(\s*(-?[\d.]+)\s*,\s*(-?[\d.]+)/.exec(text) ?? []
  return x === undefined ? undefined : { x: Number(x), y: Number(y) }
}

/** Overrides that a line's marks and place also express, or that have no lasting effect. */
const KEPT = /\\(?:(?:an?|[biu]|[pq])\d+|(?:pos|move)\([^()]*\)|r(?=[\\}]))/g

/**
 * Interprets ASS's overrides, which SubRip files also contain. Replaces those for bold, italics and underlines with marks, and removes all
 * others.
 */
export function readOverrides(source: string) {
  let place: number | undefined
  let isStyled = false
  const text = source.replace(/\{\\[^{}]*\}/g, (overrides) => {
    const [, keypad, old] = /\\an([1-9])|\\a(\d{1,2})/.exec(overrides) ?? []
    place ??= keypad === undefined ? OLD_PLACES[Number(old)] : Number(keypad)
    isStyled ||= overrides.replace(KEPT, '').includes('\\')
    return [...overrides.matchAll(/\\([biu])(\d+)/g)]
      .map(([, style = '', value]) => MARKS.get(value === '0' ? `/${style}` : style) ?? '')
      .join('')
  })
  return { text, place, isStyled }
}
