import { useEffect, useRef, useState } from 'preact/hooks'
import { useApp, type App, useWindow } from '../store/app.ts'
import { addFiles, chooseFiles } from '../store/drops.ts'
import { later } from '../store/later.tsx'
import { TileFace, tilesClass, useTileName, useTilePresets } from './tile-face.tsx'
import { tilesOf, type Tile } from './tiles.ts'

const PresetPicker = later(async () => (await import('./preset-picker.tsx')).PresetPicker)

/** The tiles of a new job without files. Each opens the file dialog, and files can be dropped on it. */
export function FirstTiles() {
  const { app, t } = useWindow()
  const tiles = tilesOf(app)
  const nameOf = useTileName(tiles)
  useTilePresets(tiles)
  if (tiles.length === 0) return null
  return (
    <section class="first-tiles" aria-label={t.tasks.whatToDo}>
      <h2 class="hint">{tiles[0]?.task === undefined ? t.tasks.firstPreset : t.tasks.first}</h2>
      <div class={tilesClass(tiles.length)}>
        {tiles.map((tile, index) => (
          <FirstTile key={tile.preset} tile={tile} number={index + 1} name={nameOf(tile)} />
        ))}
      </div>
      <div class="tile-foot">
        <PresetPicker
          id="first-preset"
          presets={app.state.draft.value.presets}
          service={app.state.draftConnection.value}
          single
          link={t.tasks.all}
          onChoose={(presets) => void chooseFilesFor(app, presets)}
        />
      </div>
    </section>
  )
}

function FirstTile(props: { readonly tile: Tile; readonly number: number; readonly name: string }) {
  const { tile, number, name } = props
  const app = useApp()
  const [isOver, setOver] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const { preset } = tile
  useEffect(() => {
    const element = button.current
    const take = (event: Event): void => {
      setOver(false)
      void app
        .attempt(app.bridge.draft.update({ presets: [preset] }))
        .then(() => addFiles(app, (event as CustomEvent<readonly File[]>).detail))
    }
    element?.addEventListener('filesdropped', take)
    return () => element?.removeEventListener('filesdropped', take)
  }, [preset])
  return (
    <button
      type="button"
      class={`tile ${isOver ? 'dropping' : ''}`}
      aria-label={name}
      aria-keyshortcuts={String(number)}
      data-takes-files
      ref={button}
      onDragEnter={() => setOver(true)}
      onDragLeave={() => setOver(false)}
      onClick={() => void chooseFilesFor(app, [preset])}
    >
      <TileFace tile={tile} number={number} />
    </button>
  )
}

const chooseFilesFor = (app: App, presets: readonly string[]): Promise<void> =>
  chooseFiles(app, app.attempt(app.bridge.draft.update({ presets: [...presets] })))
