import { compressed } from "@lango/pages";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// Fonts and pictures stay files and nothing is written into the HTML, so that the policy needs no exception.
export default defineConfig({
	root: import.meta.dirname,
	plugins: [react(), tailwind(), compressed()],
	build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, reportCompressedSize: false },
});
