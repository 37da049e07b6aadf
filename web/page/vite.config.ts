import {defineConfig} from "vite";

// Three files with fixed names: pgveil embeds them and answers with an ETag, so names need no hash. Nothing
// is inlined, because the page's Content-Security-Policy allows neither inline scripts nor data: addresses.
export default defineConfig({
  base: "/",
  esbuild: {jsx: "automatic", jsxImportSource: "preact"},
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    cssCodeSplit: false,
    rollupOptions: {
      output: {entryFileNames: "page.js", assetFileNames: "page[extname]", inlineDynamicImports: true},
    },
  },
});
