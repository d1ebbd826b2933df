import { readdirSync } from "node:fs";
import {
	createEngine,
	sprigConversions,
	sprigDefaults,
	sprigDicts,
	sprigLists,
	sprigStrings,
	type TemplateFunc,
} from "@promptctl/go-template-js";
import { parse, parseAllDocuments, stringify } from "yaml";
import { read } from "./files.ts";

/** A rendered manifest, as far as the tests look at it without asking its schema. */
export type Manifest = { apiVersion: string; kind: string; metadata: { name: string }; spec: never };
export type Values = Record<string, unknown>;

const folder = "deploy/chart/templates";
const pieces = read(`${folder}/_pieces.tpl`);

export const readValues = (): Values => parse(read("deploy/chart/values.yaml"));

/**
 * Renders every template of the chart, as `helm template lango deploy/chart` does, and reads the manifests
 * out of it. Helm itself is a program apart; this is Go's template language and of Sprig and Helm the
 * functions that the templates use. A value that is missing is an error, and so is a function that is not
 * here.
 */
export function renderChart(values: Values): Manifest[] {
	const scope = { Values: values, Release: { Name: "lango", Service: "Helm" } };
	const render = engineWithInclude();
	const texts = readdirSync(`${import.meta.dirname}/../chart/templates`)
		.filter((file) => file.endsWith(".yaml"))
		.map((file) => render(`${pieces}${read(`${folder}/${file}`)}`, scope));
	return texts.flatMap((text) =>
		parseAllDocuments(text).flatMap((document) => {
			if (document.errors.length > 0) throw new Error(`${document.errors[0]?.message}\n${text}`);
			return document.toJS() === null ? [] : [document.toJS()];
		}),
	);
}

/** Text of one template, with Helm's `include` and `toYaml`. */
function engineWithInclude(): (text: string, scope: unknown) => string {
	const include: TemplateFunc = {
		fn: (name: unknown, scope: unknown) =>
			render(`${pieces}{{ template "${String(name)}" . }}`, scope).trim(),
		argTypes: ["string", "value"],
		returnType: "string",
	};
	const toYaml: TemplateFunc = {
		fn: (value: unknown) => stringify(value).trimEnd(),
		argTypes: ["value"],
		returnType: "string",
	};
	const engine = createEngine<string>({
		fromString: (text) => text,
		missingKey: "error",
		funcs: {
			...sprigConversions(),
			...sprigDefaults(),
			...sprigDicts(),
			...sprigLists(),
			...sprigStrings(),
			include,
			toYaml,
		},
	});
	const render = (text: string, scope: unknown): string => engine.parse(text).evaluate(scope).join("");
	return render;
}
