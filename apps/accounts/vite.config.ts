import { compressed, preloaded } from "@lango/pages";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The fonts of every page in both languages; those of other letters are loaded when a text has them. */
const firstFonts = ["atkinson-hyperlegible-next-first", "young-serif-first"];

/** What several pages use is one chunk: a chunk for each module would make a request for each. */
const groups = [{ name: "shared", minShareCount: 2 }];

// Fonts and pictures stay files and nothing is written into the HTML, so that the policy needs no exception.
export default defineConfig({
	root: import.meta.dirname,
	plugins: [react(), tailwind(), preloaded({ fonts: firstFonts }), compressed()],
	build: {
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
		reportCompressedSize: false,
		rolldownOptions: { output: { codeSplitting: { groups } } },
	},
});
