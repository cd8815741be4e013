import type { ComponentChildren } from 'preact'
import './icon.css'

/** Returns the path of a circle, which can be joined with other paths. */
const circle = (x: number, y: number, r: number): string =>
  `M${x - r} ${y}a${r} ${r} 0 1 1 ${2 * r} 0a${r} ${r} 0 1 1 ${-2 * r} 0Z`
/** Returns the path of a rectangle, which can be joined with other paths. @param r radius of the corners */
const rectangle = (x: number, y: number, width: number, height: number, r: number): string => {
  const corner = (toX: number, toY: number) => `a${r} ${r} 0 0 1 ${toX} ${toY}`
  const [across, down] = [width - 2 * r, height - 2 * r]
  return `M${x + r} ${y}h${across}${corner(r, r)}v${down}${corner(-r, r)}h${-across}${corner(-r, -r)}v${-down}${corner(r, -r)}Z`
}

/** Line icons on a 16-pixel grid with 1.5 pixel strokes and round caps, each as a path or as elements. `falling` is on a 24-pixel grid. */
const shapes = {
  shrink: 'M13.25 2.75 9.5 6.5M9.5 3.25V6.5h3.25M2.75 13.25 6.5 9.5M6.5 12.75V9.5H3.25',
  globe:
    circle(8, 8, 6) +
    'M2 8h12M8 2c1.75 1.7 2.6 3.7 2.6 6S9.75 12.3 8 14C6.25 12.3 5.4 10.3 5.4 8S6.25 3.7 8 2Z',
  limit: 'M2.25 2.75h11.5' + rectangle(4.25, 6, 7.5, 7.25, 1),
  pinOff:
    'M11.4 9.1c.68-1.13 1.1-2.2 1.1-3.1A4.5 4.5 0 0 0 5 2.65M3.6 5.2c-.07.26-.1.53-.1.8 0 3.25 4.5 8 4.5 8s.95-1 1.95-2.35M2.5 2.5l11 11',
  search: circle(7, 7, 4.25) + 'M10.25 10.25l3 3',
  plus: 'M8 3.25v9.5M3.25 8h9.5',
  minus: 'M3.25 8h9.5',
  close: 'm4.25 4.25 7.5 7.5M11.75 4.25l-7.5 7.5',
  filter: 'M2.5 4.5h11M4.5 8h7M6.5 11.5h3',
  gear: () => (
    <>
      <path
        d="M6.73 3.42L6.97 1.99L9.03 1.99L9.27 3.42L10.34 3.87L11.52 3.02L12.98 4.48L12.13 5.66L12.58 6.73L14.01 6.97L14.01 9.03L12.58 9.27L12.13 10.34L12.98 11.52L11.52 12.98L10.34 12.13L9.27 12.58L9.03 14.01L6.97 14.01L6.73 12.58L5.66 12.13L4.48 12.98L3.02 11.52L3.87 10.34L3.42 9.27L1.99 9.03L1.99 6.97L3.42 6.73L3.87 5.66L3.02 4.48L4.48 3.02L5.66 3.87Z"
        stroke-width="1.35"
      />
      <circle cx="8" cy="8" r="2.1" />
    </>
  ),
  folder:
    'M1.75 12V4.25c0-.55.45-1 1-1h3.1c.3 0 .6.14.78.38L7.75 5h5.5c.55 0 1 .45 1 1v6c0 .55-.45 1-1 1H2.75c-.55 0-1-.45-1-1Z',
  reveal:
    'M1.75 12V4.25c0-.55.45-1 1-1h3.1c.3 0 .6.14.78.38L7.75 5h5.5c.55 0 1 .45 1 1v1M1.75 12c0 .55.45 1 1 1h4.5' +
    circle(11, 10.5, 2.25) +
    'M12.75 12.25l1.5 1.5',
  audio: 'M6 12V3.75l7-1.5v8.25' + circle(4.25, 12, 1.75) + circle(11.25, 10.5, 1.75),
  play: 'M5.25 3.5v9l7-4.5Z',
  pause: 'M5.75 3.75v8.5M10.25 3.75v8.5',
  open: 'M9.5 2.75h3.75V6.5M13 3 7.75 8.25M11.75 9.25v3c0 .55-.45 1-1 1h-7c-.55 0-1-.45-1-1v-7c0-.55.45-1 1-1h3',
  check: 'm3 8.75 3.25 3.25L13 4.5',
  warn: 'M7.13 2.9 1.9 11.75c-.4.67.08 1.5.86 1.5h10.48c.78 0 1.26-.83.86-1.5L8.87 2.9a1 1 0 0 0-1.74 0ZM8 6.5v3M8 11.35v.01',
  fail: circle(8, 8, 6) + 'M5.9 5.9l4.2 4.2M10.1 5.9l-4.2 4.2',
  stop: circle(8, 8, 6) + 'M3.9 12.1l8.2-8.2',
  queue: () => <circle cx="8" cy="8" r="6" stroke-dasharray="2.4 2.31" />,
  ask: circle(8, 8, 6) + 'M6.4 6.4a1.65 1.65 0 1 1 2.4 1.5c-.5.27-.8.6-.8 1.1M8 11.1v.01',
  higher: 'M8 12.75v-9M4.25 7.25 8 3.5l3.75 3.75',
  lower: 'M8 3.25v9M4.25 8.75 8 12.5l3.75-3.75',
  up: 'M8 10.5V3M4.75 6.25 8 3l3.25 3.25M2.75 11v1.25c0 .55.45 1 1 1h8.5c.55 0 1-.45 1-1V11',
  drive: 'M4.5 12.75h6.75a2.75 2.75 0 0 0 .46-5.46 3.9 3.9 0 0 0-7.6-.6A3.05 3.05 0 0 0 4.5 12.75Z',
  terminal: rectangle(1.75, 3.25, 12.5, 9.5, 1.5) + 'M4.5 6l2 2-2 2M8.5 10h3',
  tray: 'M.75 4.75h1.5V9a2 2 0 0 0 2 2h7.5a2 2 0 0 0 2-2V4.75h1.5',
  mark: 'M.75 7.5h1.5v4.25a2 2 0 0 0 2 2h7.5a2 2 0 0 0 2-2V7.5h1.5' + rectangle(5, 3, 6, 5, 1),
  photo:
    rectangle(2.25, 2.75, 11.5, 10.5, 1.5) + circle(5.5, 6, 0.9) + 'M2.5 11.75l3.2-3 2.2 2 2.6-3 3.1 3.4',
  video: rectangle(2.25, 3.25, 11.5, 9.5, 1.5) + 'M6.75 6l3 2-3 2Z',
  both:
    'M4.75 2.75h7.5c.83 0 1.5.67 1.5 1.5v5.5' +
    rectangle(2.25, 5.25, 9, 8, 1.5) +
    'M5.75 7.5l2.6 1.75-2.6 1.75Z',
  more: () => <path d="M3.75 8v.01M8 8v.01M12.25 8v.01" stroke-width="2" />,
  retry: 'M13 8a5 5 0 1 1-1.6-3.67M13 2.75V5.5h-2.75',
  forward: 'm6.25 3.75 4.25 4.25-4.25 4.25',
  chevron: 'm3.75 6.25 4.25 4.25 4.25-4.25',
  back: 'M9.75 3.75 5.5 8l4.25 4.25',
  bell: 'M3 11.5c1-.9 1.25-2 1.25-4.25a3.75 3.75 0 0 1 7.5 0c0 2.25.25 3.35 1.25 4.25ZM6.75 13.5h2.5',
  eye: 'M1.75 8S4 3.75 8 3.75 14.25 8 14.25 8 12 12.25 8 12.25 1.75 8 1.75 8Z' + circle(8, 8, 1.75),
  link: 'M6 2.75v3M10 2.75v3M4.25 5.75h7.5v2a3.75 3.75 0 0 1-7.5 0ZM8 11.5v2',
  off: 'M10 2.75v3M6 5.75h5.75v2c0 .9-.3 1.7-.85 2.35M4.25 5.75v2A3.75 3.75 0 0 0 8 11.5v2M2 2l12 12',
  moon: 'M13.25 9.6A5.6 5.6 0 0 1 6.4 2.75a5.6 5.6 0 1 0 6.85 6.85Z',
  clock: circle(8, 8, 6) + 'M8 4.75V8l2.25 1.5',
  key: circle(5.25, 10.75, 2.75) + 'M7.25 8.75l6-6M10.75 5.25l2 2',
  trash:
    'M2.75 4.25h10.5M6 4.25v-1c0-.28.22-.5.5-.5h3c.28 0 .5.22.5.5v1M4 4.25l.6 8.1c.04.5.46.9 1 .9h4.8c.54 0 .96-.4 1-.9l.6-8.1',
  chat: 'M3.25 2.75h9.5c.83 0 1.5.67 1.5 1.5v5.25c0 .83-.67 1.5-1.5 1.5H8.25L5 13.5V11H3.25c-.83 0-1.5-.67-1.5-1.5V4.25c0-.83.67-1.5 1.5-1.5Z',
  copy:
    rectangle(5.75, 5.75, 7.5, 7.5, 1.25) +
    'M10.25 5.5V4c0-.69-.56-1.25-1.25-1.25H4c-.69 0-1.25.56-1.25 1.25v5c0 .69.56 1.25 1.25 1.25h1.5',
  pencil: 'm3 13 .6-2.75 7.3-7.3a1 1 0 0 1 1.4 0l.75.75a1 1 0 0 1 0 1.4l-7.3 7.3L3 13ZM9.75 4.1l2.15 2.15',
  down: 'M8 2.75v7.5M4.75 7 8 10.25 11.25 7M2.75 11v1.25c0 .55.45 1 1 1h8.5c.55 0 1-.45 1-1V11',
  swap: 'M3 5.5h9.75M10.25 3l2.5 2.5-2.5 2.5M13 10.5H3.25M5.75 8l-2.5 2.5L5.75 13',
  undo: 'M5.75 3 3 5.75 5.75 8.5M3.25 5.75h6a3.5 3.5 0 0 1 0 7H6',
  compare: () => (
    <>
      <rect x="2.25" y="3.25" width="11.5" height="9.5" rx="1.5" />
      <path d="M8 2v12" />
      <path d="M8 3.25h4.25c.83 0 1.5.67 1.5 1.5v6.5c0 .83-.67 1.5-1.5 1.5H8Z" fill="currentColor" />
    </>
  ),
  columns: rectangle(1.75, 4, 3.25, 8, 1) + rectangle(6.375, 4, 3.25, 8, 1) + rectangle(11, 4, 3.25, 8, 1),
  difference: circle(6.25, 8, 4) + circle(9.75, 8, 4),
  star: 'm8 2.4 1.75 3.55 3.9.57-2.82 2.75.66 3.9L8 11.33l-3.49 1.84.66-3.9-2.82-2.75 3.9-.57Z',
  lock: rectangle(3.25, 7, 9.5, 6.25, 1.25) + 'M5.25 7V5.25a2.75 2.75 0 0 1 5.5 0V7',
  sliders:
    'M2.25 4.75h6.5M12.25 4.75h1.5M2.25 11.25h1.5M7.25 11.25h6.5' +
    circle(10.5, 4.75, 1.75) +
    circle(5.5, 11.25, 1.75),
  window: rectangle(2.25, 3.25, 11.5, 9.5, 1.5) + 'M2.5 6h11',
  arrow: 'M3 8h9.5M9 4.5 12.5 8 9 11.5',
  twoFolders: () => (
    <>
      <rect x="2" y="3.5" width="5" height="9" rx="1" />
      <rect x="9" y="3.5" width="5" height="9" rx="1" stroke-dasharray="1.6 1.5" />
    </>
  ),
  turn: 'M3.5 3v5c0 .83.67 1.5 1.5 1.5h7.5M9.75 6.75 12.5 9.5l-2.75 2.75',
  vault: 'M1.75 3.25h12.5v3H1.75ZM2.75 6.25v6c0 .55.45 1 1 1h8.5c.55 0 1-.45 1-1v-6M6.5 9h3',
  bolt: 'M9 1.9 3.6 9h3.65L6.9 14.1 12.4 7H8.7Z',
  handle: () => <path d="M6 4v.01M10 4v.01M6 8v.01M10 8v.01M6 12v.01M10 12v.01" stroke-width="1.75" />,
  dot: () => <circle cx="8" cy="8" r="4" fill="currentColor" stroke="none" />,
  falling:
    'M8.5 5.25 9 3.4a1 1 0 0 1 1.23-.7l8.7 2.33a1 1 0 0 1 .7 1.22l-2.33 8.7a1 1 0 0 1-.8.73' +
    rectangle(4, 8, 11.5, 11, 1.25) +
    circle(7.25, 11.4, 1) +
    'M4.2 17.5l3.3-3 2.2 2 2.7-3.1 3 3.3',
} satisfies Record<string, string | (() => ComponentChildren)>

export type IconName = keyof typeof shapes

/** Icons that are mirrored in right-to-left layouts. */
const DIRECTED: ReadonlySet<IconName> = new Set(['arrow', 'back', 'forward'])

/** An icon. It is hidden from screen readers, because it always accompanies a label. */
export function Icon({ name, class: more = '' }: { readonly name: IconName; readonly class?: string }) {
  const Shape = shapes[name]
  const size = name === 'falling' ? 24 : 16
  return (
    <svg
      class={`icon ${DIRECTED.has(name) ? 'mirrored-rtl ' : ''}${more}`}
      viewBox={`0 0 ${size} ${size}`}
      aria-hidden="true"
    >
      {typeof Shape === 'string' ? <path d={Shape} /> : <Shape />}
    </svg>
  )
}
