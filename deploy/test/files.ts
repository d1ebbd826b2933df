import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { settingsOf, variableOf } from "@lango/chassis";
import { parse } from "yaml";
import { pages } from "../../tools/up/pages.ts";
import { prefixOf } from "../../tools/up/parts.ts";
import { parts } from "../../tools/up.ts";

export const root = resolve(import.meta.dirname, "../..");
export const read = (path: string): string => readFileSync(join(root, path), "utf8");

export type ComposeService = {
	image: string;
	build?: { dockerfile: string };
	command?: string[];
	environment?: Record<string, string>;
	healthcheck?: { test: string[] };
	deploy?: { replicas?: number; resources?: { limits?: unknown } };
	read_only?: boolean;
	stop_grace_period?: string;
	ports?: string[];
	volumes?: string[];
};
export type Compose = { services: Record<string, ComposeService> };

export const composeText = read("deploy/compose.yaml");
/** deploy/compose.yaml with its anchors and merges resolved, variables as they are written. */
export const compose: Compose = parse(composeText, { merge: true });

/** A container file: the last stage's entry point and command, and every line, whole. */
export type ContainerFile = { entrypoint: string[]; cmd: string[]; lines: string[]; user: string };

export function readContainerFile(path: string): ContainerFile {
	const lines = read(path)
		.split("\n")
		.filter((line) => line.trim() !== "" && !line.startsWith("#"));
	const last = (word: string) =>
		lines.findLast((line) => line.startsWith(`${word} `))?.slice(word.length + 1);
	const words = (word: string): string[] => JSON.parse(last(word) ?? "[]");
	return { entrypoint: words("ENTRYPOINT"), cmd: words("CMD"), lines, user: last("USER") ?? "" };
}

/** What a container of compose.yaml runs: its file's entry point, and its own command or the file's. */
export function commandOf(service: ComposeService): string[] {
	const { entrypoint, cmd } = readContainerFile(service.build?.dockerfile ?? "");
	return [...entrypoint, ...(service.command ?? cmd)];
}

/** Every variable a service reads, with whether it must be given. */
export function variablesOf(name: string): Map<string, { isRequired: boolean; default: unknown }> {
	const service = parts.services.find((part) => part.service.name === name)?.service;
	if (service === undefined) throw new Error(`there is no service ${name}`);
	const { prefix, table } = settingsOf(service);
	return new Map(
		Object.entries(table).map(([key, setting]) => [
			variableOf(prefix, key, setting),
			{
				isRequired: setting.default === undefined && setting.optional !== true,
				default: setting.default,
			},
		]),
	);
}

export const services = parts.services.map(({ service }) => service);
export const serviceNames = services.map(({ name }) => name);
/** Pages that are built; the others are examples. */
export const pagesNames = pages.filter(({ isBuilt }) => isBuilt).map(({ name }) => name);

/** The port a service or pages listen on when nothing else is said. */
export function portOf(name: string): number {
	const part = pages.find((one) => one.name === name);
	return part?.port ?? Number(variablesOf(name).get(`${prefixOf(name)}_PORT`)?.default);
}

/**
 * What is wrong with the variables a container is given: unknown ones, and required ones that are missing.
 */
export function faultsOf(name: string, given: readonly string[]): string[] {
	const known = variablesOf(name);
	const unknown = given.filter((variable) => !known.has(variable) && variable !== "NODE_ENV");
	const missing = [...known]
		.filter(([variable, { isRequired }]) => isRequired && !given.includes(variable))
		.map(([variable]) => variable);
	return [
		...unknown.map((variable) => `${name} does not read ${variable}`),
		...missing.map((variable) => `${name} needs ${variable}`),
	];
}

/** Settings whose usual value is a developer's machine: a deployment says its own. */
export function developersVariables(name: string): string[] {
	return [...variablesOf(name)]
		.filter(([, { default: value }]) => /localhost|127\.0\.0\.1/.test(String(value)))
		.map(([variable]) => variable);
}

/** Whether the files that a command names are there, and `node` runs them. */
export function isRunnable([program, ...words]: readonly string[]): boolean {
	const file = words.find((word) => word.endsWith(".ts"));
	return program === "node" && file !== undefined && existsSync(join(root, file));
}
