import type { Catalog } from './catalog.ts'
import catalog from './locales/en.json' with { type: 'json' }

/** The texts that other languages fall back to. The window doesn't import this file, because it loads only one language. */
export const english: Catalog = catalog
