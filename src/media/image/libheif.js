// The package brings no types: this one line is JavaScript so that libheif.d.ts beside it can say what is used of it.
export { default } from 'libheif-js/wasm-bundle.js'
