/**
 * Returns a page with a list that looks like ours and needs no script: as many elements per row with similar styles, one section per
 * screen. Chromium lays out and renders a section when it comes into view, so scrolling it is the floor for any list of such rows.
 */
export function bareList(
  screens: number,
  { width, height }: { readonly width: number; readonly height: number },
): string {
  const rows = Math.floor((height - HEAD_HEIGHT) / ROW_HEIGHT)
  const sections = Array.from({ length: screens }, (_, screen) => section(screen, rows))
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Bare</title><style>${style(width, height)}</style>
    <div class="scroll-area job-list">${sections.join('')}</div>`
}

const ROW_HEIGHT = 52
const HEAD_HEIGHT = 34

const section = (screen: number, rows: number): string =>
  `<section><h2>Section ${screen}<span>${rows}</span></h2><ul>${Array.from({ length: rows }, (_, index) => row(screen * rows + index)).join('')}</ul></section>`

const row = (number: number): string => {
  const start = `IMG_${String(number).padStart(5, '0')} harb`
  return `<li class="slot"><button class="job-row"><span class="stack"><span class="thumbnail"><svg viewBox="0 0 16 16"><rect
    x="2.25" y="2.75" width="11.5" height="10.5" rx="1.5"/><circle cx="5.5" cy="6" r=".9"/><path d="m2.5 11.75 3.2-3 2.2 2 2.6-3 3.1 3.4"/></svg></span></span><span class="text"><span
    class="title"><span class="name"><span class="hidden">${start}our.jpg</span><span class="parts"><span class="start">${start}</span><span
    class="end">our.jpg</span></span></span><span class="time">${1 + (number % 28)} Nov</span></span><span class="status"><svg
    viewBox="0 0 16 16"><path d="m3.5 8.5 3 3 6-7"/></svg><span class="sentence">1 photo, Web ${number}, 75 % smaller</span></span></span></button></li>`
}

const style = (width: number, height: number): string => `
  :root { --gap: 6px; --edge: 36px; --text: #1a1e1c; --faint: #66706b; --line: #e3e7e5 }
  * { box-sizing: border-box; margin: 0; padding: 0 }
  body { font: 13px/18px system-ui, sans-serif; color: var(--text) }
  .job-list { width: ${width}px; height: ${height}px; overflow-y: auto }
  section { height: ${height}px; padding-inline: var(--gap); content-visibility: auto; contain-intrinsic-size: auto ${height}px; position: relative }
  h2 { display: flex; justify-content: space-between; height: 28px; font-size: 11px; position: sticky; top: 0; background: #fff; z-index: 1 }
  li { list-style: none; height: ${ROW_HEIGHT}px }
  li:hover button { background: var(--line) }
  button { display: grid; grid-template-columns: var(--edge) minmax(0, 1fr); column-gap: 10px; align-items: center; width: 100%; height: 100%; padding: var(--gap); border: 0; border-radius: 6px; background: none; font: inherit; text-align: start; position: relative }
  .stack { position: relative }
  .thumbnail { width: var(--edge); height: var(--edge); border-radius: 4px; overflow: hidden; position: relative; background: var(--line); display: grid; place-items: center; color: var(--faint) }
  .thumbnail::after { content: ''; position: absolute; inset: 0; border-radius: inherit; box-shadow: inset 0 0 0 1px #0001 }
  svg { width: 16px; height: 16px; flex: none; display: block; fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round }
  .text { min-width: 0; overflow: hidden }
  .title { display: flex; gap: 8px; align-items: baseline; justify-content: space-between }
  .name { position: relative; display: flex; min-width: 0; white-space: nowrap; font-weight: 500 }
  .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  .parts { display: flex; min-width: 0 }
  .start { overflow: hidden; text-overflow: ellipsis; white-space: pre }
  .end { flex: none; white-space: pre }
  .time { color: var(--faint); font-size: 12px; flex: none }
  .status { display: flex; gap: var(--gap); align-items: center; font-size: 12px; line-height: 16px; color: var(--faint); margin-block-start: 1px }
  .sentence { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }`
