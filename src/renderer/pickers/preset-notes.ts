/** Describes presets of the built-in service. The first paint doesn't need this. */
import { useEffect } from 'preact/hooks'
import type { ConnectionView } from '../../shared/model/connection.ts'
import { shortSummaryOf, summaryOf } from '../../shared/preset/preset-summary.ts'
import { readFrom, type ReadField } from '../../shared/preset/read-field.ts'
import { useApp, type App } from '../store/app.ts'

/** Returns a preset of the built-in service; undefined while the presets are loading, or if none with this name is valid. */
function readPreset({ presets: { overview } }: App, name: string): ReadField | undefined {
  const found = overview.value?.documents.find((document) => document.name === name)
  return found?.preset ? readFrom(found.preset) : undefined
}

/** Returns the line of a starred preset's tile: "JPEG, 2048 px, visual quality 75". Empty while the preset is loading. */
export function tileLine(app: App, name: string): string {
  const t = app.presets.words()
  const read = readPreset(app, name)
  return read && t ? summaryOf(read, t).does : ''
}

/**
 * Creates a function that describes a preset of the built-in service in a few words. It returns undefined for other services and until the
 * presets are loaded.
 */
export function useShortSummaries({ kind, presets }: ConnectionView): (name: string) => string | undefined {
  const app = useApp()
  const isOurs = kind === 'builtIn'
  const t = isOurs ? app.presets.words() : null
  useEffect(() => {
    if (isOurs) void app.presets.read()
  }, [isOurs, presets])
  return (name) => {
    const read = isOurs ? readPreset(app, name) : undefined
    return read && t ? shortSummaryOf(read, t) : undefined
  }
}
