import { asWords, wordFor } from "../../texts/texts.ts";
import type { AccessTexts } from "./texts.ts";

/** What a role is called: the word for a role that comes with the service, else its code as words. */
export function nameRole(code: string, { service, words }: { service: string; words: AccessTexts }): string {
	const own = code.startsWith(`${service}_`) ? code.slice(service.length + 1) : code;
	return Object.hasOwn(words.roleNames, own) ? wordFor(words.roleNames, own) : asWords(code);
}

/** The code that follows from a name: lower case, without accents, joined by "_"; "" when it cannot begin with a letter. */
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

/** What a role grants, module by module in the order of their words. */
export type GrantedModule = { module: string; actions: string[] };

/** Permissions such as "hospital.roles.view" in words, by what they are about. */
export function groupPermissions(codes: readonly string[], words: AccessTexts): GrantedModule[] {
	const modules = new Map<string, string[]>();
	for (const code of codes) {
		const [, module = code, action = ""] = code.split(".");
		modules.set(module, [...(modules.get(module) ?? []), wordFor(words.actions, action)]);
	}
	return [...modules]
		.map(([module, actions]) => ({ module: nameModule(module, words), actions }))
		.toSorted((one, other) => one.module.localeCompare(other.module));
}

/** What a permission allows, as "Orders: change". */
export function namePermission(code: string, words: AccessTexts): string {
	const [, module = code, action = ""] = code.split(".");
	return `${nameModule(module, words)}: ${wordFor(words.actions, action)}`;
}

function nameModule(module: string, words: AccessTexts): string {
	return Object.hasOwn(words.modules, module) ? wordFor(words.modules, module) : asWords(module);
}
