import { window as en } from '../en/window.ts'

export const window = en
