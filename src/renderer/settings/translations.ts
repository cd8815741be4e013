/** The texts of rules and presets, for components that are shown once these texts have been loaded. */
import type { RuleTranslation, StudioTranslation } from '../../shared/i18n/i18n.ts'
import { type App, loaded, useApp } from '../store/app.ts'

/** Returns the texts of watched folders' rules. @throws Error if they haven't been loaded */
export const ruleTranslation = (app: App): RuleTranslation => loaded(app.ruleWords(), 'rules')

export const useRuleTranslation = (): RuleTranslation => ruleTranslation(useApp())

export const usePresetTranslation = (): StudioTranslation => loaded(useApp().presets.words(), 'studio')
