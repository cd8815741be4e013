import { showWindow } from './show-window.tsx'

const root = document.getElementById('app')
if (root === null) throw new Error('The page has no #app element')

// Don't await at the top level: lazily loaded scripts import from this script and would wait for it.
void showWindow(window.mediatray, Date.now, root)
