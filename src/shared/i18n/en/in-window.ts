/** The script of this language that the window loads. */
export { common } from './common.ts'
export { window } from './window.ts'
