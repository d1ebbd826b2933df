import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

/**
 * A Vite plugin that writes a .gz and a .br file beside every text file of the build. `startPages` serves
 * them.
 */
export function compressed() {
	return {
		name: "lango:compressed",
		apply: "build" as const,
		async writeBundle({ dir = "dist" }: { dir?: string | undefined }): Promise<void> {
			const files = await readdir(dir, { recursive: true });
			for (const file of files.filter((name) => /\.(js|css|svg)$/.test(name))) {
				const content = await readFile(join(dir, file));
				await writeFile(join(dir, `${file}.gz`), gzipSync(content, { level: 9 }));
				await writeFile(join(dir, `${file}.br`), brotliCompressSync(content));
			}
		},
	};
}
