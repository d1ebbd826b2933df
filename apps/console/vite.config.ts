import { compressed, preloaded } from "@lango/pages";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The folder below `src/pages` of a module, except those that the frame of all pages shows. */
const areaOf = (id: string) =>
	/\/src\/pages\/(?!errors\/|loading\/|pending\/|sign-in\/|unauthorized\/)([^/]+)\//.exec(id)?.[1];

/** What runs before the pages are loaded (`src/boot.ts`), which the pages use too. */
const isOfBoot = (id: string) =>
	/vite\/preload-helper|\/packages\/client\/src\/(?!react\/)|\/packages\/interface\/src\/(page\/(account-look|theme|network|shell)|texts\/language|tenant\/tenant-shelf|unsaved\/kept-storage)\.ts|\/node_modules\/react\/|\/apps\/console\/src\/(session\/|settings|gate\/leave|tenant\/find-tenant)/.test(
		id,
	);

/**
 * A chunk for each module that two pages share would make more than a hundred requests for one page. Instead,
 * what pages of several areas use is one chunk, and so is what the pages of one area share.
 */
const groups = [
	{ name: "boot", test: isOfBoot, priority: 3 },
	{ name: "shared", test: (id: string) => areaOf(id) === undefined, minShareCount: 2, priority: 2 },
	{ debugName: "areas", name: (id: string) => areaOf(id) ?? null, minShareCount: 2, priority: 1 },
];

/** The fonts of every page in both languages; those of other letters are loaded when a text has them. */
const firstFonts = ["atkinson-hyperlegible-next-first", "young-serif-first"];

// Fonts and pictures stay files and nothing is written into the HTML, so that the policy needs no exception.
export default defineConfig({
	root: import.meta.dirname,
	plugins: [
		react(),
		tailwind(),
		// The key is that of src/session/session-hint.ts.
		preloaded({
			fonts: firstFonts,
			chunks: { names: ["show-pages", "overview-page"], ifStored: "lango-console-session" },
		}),
		compressed(),
	],
	build: {
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
		reportCompressedSize: false,
		rolldownOptions: { output: { codeSplitting: { groups } } },
	},
});
