import { compareNames } from "@lango/interface";
import { asWords, wordFor } from "../../texts/texts.ts";
import type { AccessTexts } from "./texts.ts";

/** The name of a role: the text of a built-in role, otherwise its code as words. */
export function nameRole(code: string, { service, words }: { service: string; words: AccessTexts }): string {
	const own = code.startsWith(`${service}_`) ? code.slice(service.length + 1) : code;
	return Object.hasOwn(words.roleNames, own) ? wordFor(words.roleNames, own) : asWords(code);
}

/**
 * Derives the code of a role from its name: lowercase, without accents, joined by "_"; "" if it cannot
 * start with a letter.
 */
export function roleCode(name: string): string {
	const plain = name
		.normalize("NFKD")
		.replace(/\p{M}/gu, "")
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, "_");
	return plain
		.replace(/^[^a-z]+/, "")
		.slice(0, 63)
		.replace(/_+$/, "");
}

/** The permissions of a role in one module. */
export type GrantedModule = { module: string; actions: string[] };

/**
 * Groups permissions such as "hospital.roles.view" by module, with their names, sorted by the name of the
 * module.
 */
export function groupPermissions(codes: readonly string[], words: AccessTexts): GrantedModule[] {
	const modules = new Map<string, string[]>();
	for (const code of codes) {
		const [, module = code, action = ""] = code.split(".");
		modules.set(module, [...(modules.get(module) ?? []), wordFor(words.actions, action)]);
	}
	return [...modules]
		.map(([module, actions]) => ({ module: nameModule(module, words), actions }))
		.toSorted((one, other) => compareNames(one.module, other.module));
}

/** The name of a permission, for example "Orders: change". */
export function namePermission(code: string, words: AccessTexts): string {
	const [, module = code, action = ""] = code.split(".");
	return `${nameModule(module, words)}: ${wordFor(words.actions, action)}`;
}

function nameModule(module: string, words: AccessTexts): string {
	return Object.hasOwn(words.modules, module) ? wordFor(words.modules, module) : asWords(module);
}
