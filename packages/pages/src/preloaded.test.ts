import { expect, test } from "vitest";
import { preloaded } from "./preloaded.ts";

const bundle = {
	"assets/young-serif-first-1.woff2": { type: "asset", fileName: "assets/young-serif-first-1.woff2" },
	"assets/boot.js": { type: "chunk", fileName: "assets/boot.js", name: "boot" },
	"assets/pages.js": {
		...{ type: "chunk", fileName: "assets/pages.js", name: "show-pages" },
		imports: ["assets/boot.js", "assets/shared.js"],
	},
};
const chunks = { names: ["show-pages"], ifStored: "a-session" };
const tagsOf = (announced: Parameters<typeof preloaded>[0]) =>
	preloaded(announced).transformIndexHtml.handler('<script src="/assets/boot.js">', { bundle });

test("the HTML requests the fonts of the first view with its first script", () => {
	expect(tagsOf({ fonts: ["young-serif-first"] })).toEqual([
		{
			tag: "link",
			attrs: {
				...{ rel: "preload", as: "font", type: "font/woff2", crossorigin: true },
				href: "/assets/young-serif-first-1.woff2",
			},
			injectTo: "head",
		},
	]);
});

test("a browser with a session requests the chunks and what they import, except what the HTML names", () => {
	const [script] = tagsOf({ fonts: [], chunks });
	const code = script !== undefined && "children" in script ? script.children : "";
	expect(code).toContain('localStorage.getItem("a-session")');
	expect(code).toContain('["/assets/shared.js","/assets/pages.js"]');
});

test("a font or a chunk that the build does not have fails the build", () => {
	expect(() => tagsOf({ fonts: ["young-serif-second"] })).toThrow("no font young-serif-second");
	expect(() => tagsOf({ fonts: [], chunks: { ...chunks, names: ["hide-pages"] } })).toThrow(
		"no chunk hide-pages",
	);
});
