import { Settings } from '../src/shared/model/settings.ts'

/** The settings of a new user. */
export const DEFAULT_SETTINGS: Settings = Settings.parse({})
