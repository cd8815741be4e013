import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Draft } from '../../shared/model/draft.ts'
import { taskOf, underSize } from '../../shared/preset/task-names.ts'
import { TileFace, tilesClass, useTileName, useTilePresets } from '../pickers/tile-face.tsx'
import { chosenTile, type Tile } from '../pickers/tiles.ts'
import { useApp, useTranslation } from '../store/app.ts'
import { isField } from '../store/navigation.ts'
import { isOverlayOpen } from '../store/overlays.ts'
import { pressStart } from '../store/start-status.ts'
import { readMegabytes, sizeFault } from '../store/typed-size.ts'
import '../ui/number-field.css'
import './draft-tiles.css'

/** What the job can do, as one radio group. Enter starts the job. */
export function DraftTiles({ draft, tiles }: { readonly draft: Draft; readonly tiles: readonly Tile[] }) {
  const app = useApp()
  const t = useTranslation()
  const nameOf = useTileName(tiles)
  useTilePresets(tiles)
  const group = useRef<HTMLDivElement>(null)
  const chosen = chosenTile(draft, tiles)
  useLayoutEffect(() => {
    // Don't interrupt typing, for example in the search field.
    if (isField(document.activeElement) || isOverlayOpen(app.overlays)) return
    group.current?.querySelector<HTMLElement>('input:checked')?.focus()
  }, [])
  const megabytes = taskOf(draft.presets[0])?.megabytes
  return (
    <>
      <div class={tilesClass(tiles.length)} role="radiogroup" aria-label={t.tasks.whatToDo} ref={group}>
        {tiles.map((tile, index) => (
          <label key={tile.preset} class="tile">
            <input
              type="radio"
              name="tile"
              aria-label={nameOf(tile)}
              aria-keyshortcuts={String(index + 1)}
              checked={tile === chosen}
              disabled={tile.disabled}
              onChange={() => void app.attempt(app.bridge.draft.update({ presets: [tile.preset] }))}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return
                event.preventDefault()
                void pressStart(app)
              }}
            />
            <TileFace tile={tile} number={index + 1} />
          </label>
        ))}
      </div>
      {chosen !== undefined && (
        <p class="tile-line hint" aria-hidden="true">
          {chosen.line}
        </p>
      )}
      {megabytes !== undefined && <SizeRow megabytes={megabytes} />}
    </>
  )
}

const COMMON_SIZES = [2, 8, 25] as const

/** The maximum size of each result. */
function SizeRow({ megabytes }: { readonly megabytes: number }) {
  const app = useApp()
  const t = useTranslation()
  const { typedSize } = app
  const text = typedSize.value ?? t.typedNumber(megabytes)
  const fault = sizeFault(text, t)
  useEffect(
    () => () => {
      typedSize.value = null
    },
    [],
  )
  const choose = (next: number): void =>
    void app.attempt(app.bridge.draft.update({ presets: [underSize(next)] }))
  return (
    <div class="size-row">
      <label for="under-size">{t.tasks.atMost}</label>
      <span class="number-field narrow">
        <input
          id="under-size"
          inputMode="decimal"
          autocomplete="off"
          value={text}
          aria-invalid={fault !== null}
          aria-describedby={fault === null ? 'under-size-unit' : 'under-size-unit under-size-fault'}
          onFocus={(event) => event.currentTarget.select()}
          onInput={(event) => {
            const typed = event.currentTarget.value
            typedSize.value = typed
            if (sizeFault(typed, t) === null) choose(readMegabytes(typed))
          }}
          onBlur={() => {
            if (fault === null) typedSize.value = null
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return
            event.preventDefault()
            void pressStart(app)
          }}
        />
        <span>{t.sizeUnit('MB')}</span>
      </span>
      <span class="hint" id="under-size-unit">
        {t.tasks.forEach}
      </span>
      <div class="common-sizes" role="group" aria-label={t.tasks.sizes}>
        {COMMON_SIZES.map((size) => (
          <button
            key={size}
            type="button"
            class="button"
            aria-pressed={fault === null && size === megabytes}
            onClick={() => {
              typedSize.value = null
              choose(size)
            }}
          >
            {t.tasks.megabytes({ size })}
          </button>
        ))}
      </div>
      {fault !== null && (
        <p class="hint error" id="under-size-fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}
