import { useEffect } from 'preact/hooks'
import { useApp, useTranslation } from '../store/app.ts'
import { Icon } from '../ui/icon.tsx'
import type { Tile } from './tiles.ts'
import './tiles.css'

/** The class of a group of tiles. Odd numbers look better in three columns. */
export const tilesClass = (count: number): string => `tiles ${count > 2 && count % 2 === 1 ? 'three' : ''}`

/** The content of a tile. Screen readers read the tile's name (`useTileName`) instead. */
export function TileFace({ tile, number }: { readonly tile: Tile; readonly number: number }) {
  return (
    <>
      <Icon name={tile.icon} />
      <b aria-hidden="true">{`${tile.label} `}</b>
      {tile.disabled !== true && <kbd aria-hidden="true" data-key={number} />}
      <span class="hint" aria-hidden="true">
        {tile.line}
      </span>
    </>
  )
}

/** Loads the presets if any of the tiles describes one. */
export function useTilePresets(tiles: readonly Tile[]): void {
  const app = useApp()
  const { presets } = app.state.draftConnection.value
  const hasStars = tiles.some(({ task }) => task === undefined)
  useEffect(() => {
    if (hasStars) void app.presets.read()
  }, [hasStars, presets])
}

/** "Make smaller. Same format and dimensions. Videos become HEVC. 1 of 4" */
export function useTileName(tiles: readonly Tile[]): (tile: Tile) => string {
  const t = useTranslation()
  return (tile) =>
    t.tasks.position({
      name: t.sentence(tile.label),
      line: t.sentence(tile.line),
      number: tiles.indexOf(tile) + 1,
      count: tiles.length,
    })
}
