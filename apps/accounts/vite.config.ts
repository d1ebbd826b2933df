import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Writes a .gz and a .br beside every text file of the build: the server in front sends them as they are. */
function compressed(): Plugin {
	return {
		name: "lango:compressed",
		apply: "build",
		async writeBundle({ dir = "dist" }) {
			const files = await readdir(dir, { recursive: true });
			for (const file of files.filter((name) => /\.(js|css|svg)$/.test(name))) {
				const content = await readFile(join(dir, file));
				await writeFile(join(dir, `${file}.gz`), gzipSync(content, { level: 9 }));
				await writeFile(join(dir, `${file}.br`), brotliCompressSync(content));
			}
		},
	};
}

// Fonts and pictures stay files and nothing is written into the HTML, so that the policy needs no exception.
export default defineConfig({
	root: import.meta.dirname,
	plugins: [react(), tailwind(), compressed()],
	build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, reportCompressedSize: false },
});
