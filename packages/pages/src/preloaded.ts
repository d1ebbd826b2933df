/** The parts of Vite's build that the plugin reads. */
type Built = {
	type: string;
	fileName: string;
	name?: string | undefined;
	imports?: readonly string[];
};
type Bundle = Readonly<Record<string, Built>>;
type Tag =
	| { tag: "link"; attrs: Record<string, string | boolean>; injectTo: "head" }
	| { tag: "script"; children: string; injectTo: "head-prepend" };

type Announced = {
	/** The fonts whose names begin so. */
	fonts: readonly string[];
	/** Chunks by their names, for browsers with an entry in their local storage. */
	chunks?: { names: readonly string[]; ifStored: string };
};

/**
 * A Vite plugin that announces files in the HTML, so that the browser requests them beside the first script
 * and not after it: fonts, and chunks with what they import. The content security policy allows the small
 * script for the chunks by its hash.
 */
export function preloaded({ fonts, chunks }: Announced) {
	return {
		name: "lango:preloaded",
		apply: "build" as const,
		transformIndexHtml: {
			order: "post" as const,
			handler: (html: string, { bundle = {} }: { bundle?: Bundle | undefined }): Tag[] => [
				...fontsOf(bundle, fonts).map(fontLink),
				...(chunks === undefined
					? []
					: [chunkScript(scriptsOf(bundle, chunks.names, html), chunks.ifStored)]),
			],
		},
	};
}

const fontLink = (file: string): Tag => ({
	tag: "link",
	attrs: { rel: "preload", as: "font", type: "font/woff2", crossorigin: true, href: `/${file}` },
	injectTo: "head",
});

/** Where a browser refuses its storage, the chunks are requested when the first script asks for them. */
const chunkScript = (files: readonly string[], ifStored: string): Tag => ({
	tag: "script",
	children: `try {
	if (localStorage.getItem(${JSON.stringify(ifStored)}) !== null)
		for (const href of ${JSON.stringify(files.map((file) => `/${file}`))})
			document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href, fetchPriority: "low" }));
} catch {}`,
	injectTo: "head-prepend",
});

/** Throws an Error for a name without a file, which would be an announcement that silently does nothing. */
function fontsOf(bundle: Bundle, names: readonly string[]): string[] {
	return names.map((name) => {
		const file = Object.keys(bundle).find((one) => one.endsWith(".woff2") && baseOf(one).startsWith(name));
		if (file === undefined) throw new Error(`The build has no font ${name}.`);
		return file;
	});
}

/** The files of these chunks, and of what they import, that the HTML does not name itself. */
function scriptsOf(bundle: Bundle, names: readonly string[], html: string): string[] {
	const files = names.flatMap((name) => {
		const chunk = Object.values(bundle).find((one) => one.type === "chunk" && one.name === name);
		if (chunk === undefined) throw new Error(`The build has no chunk ${name}.`);
		return [...(chunk.imports ?? []), chunk.fileName];
	});
	return [...new Set(files)].filter((file) => !html.includes(file));
}

const baseOf = (file: string) => file.slice(file.lastIndexOf("/") + 1);
