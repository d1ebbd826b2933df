/** The parts of Vite's build that the plugin reads. */
type Built = {
	type: string;
	fileName: string;
	name?: string | undefined;
	imports?: readonly string[];
};
type Tag = { tag: "link"; attrs: Record<string, string | boolean>; injectTo: "head" };

/**
 * A Vite plugin that announces files in the HTML, so that the browser requests them beside the first script
 * and not after it: the chunks of these names with what they import, and the fonts whose names begin so.
 */
export function preloaded({ chunks = [], fonts }: { chunks?: readonly string[]; fonts: readonly string[] }) {
	return {
		name: "lango:preloaded",
		apply: "build" as const,
		transformIndexHtml: {
			order: "post" as const,
			handler: (html: string, { bundle = {} }: { bundle?: Readonly<Record<string, Built>> | undefined }) =>
				[
					...fontsOf(bundle, fonts).map((file) =>
						link(file, { rel: "preload", as: "font", type: "font/woff2" }),
					),
					...scriptsOf(bundle, chunks)
						.filter((file) => !html.includes(file))
						.map((file) => link(file, { rel: "modulepreload" })),
				] satisfies Tag[],
		},
	};
}

const link = (file: string, attrs: Record<string, string>): Tag => ({
	tag: "link",
	attrs: { ...attrs, crossorigin: true, href: `/${file}` },
	injectTo: "head",
});

/** Throws an Error for a name without a file, which would be an announcement that silently does nothing. */
function fontsOf(bundle: Readonly<Record<string, Built>>, names: readonly string[]): string[] {
	return names.map((name) => {
		const file = Object.keys(bundle).find((one) => one.endsWith(".woff2") && baseOf(one).startsWith(name));
		if (file === undefined) throw new Error(`The build has no font ${name}.`);
		return file;
	});
}

function scriptsOf(bundle: Readonly<Record<string, Built>>, names: readonly string[]): string[] {
	const files = names.flatMap((name) => {
		const chunk = Object.values(bundle).find((one) => one.type === "chunk" && one.name === name);
		if (chunk === undefined) throw new Error(`The build has no chunk ${name}.`);
		return [chunk.fileName, ...(chunk.imports ?? [])];
	});
	return [...new Set(files)];
}

const baseOf = (file: string) => file.slice(file.lastIndexOf("/") + 1);
