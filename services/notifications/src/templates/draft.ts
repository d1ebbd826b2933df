import type { TemplateFinding } from "@lango/contracts";
import { failures } from "../failures.ts";
import { type Fault, fault, findingAt } from "../findings/finding.ts";
import {
	type ContentSource,
	compileTemplate,
	TemplateInvalid,
	type TemplateSource,
} from "../rendering/compile-template.ts";
import {
	checkData,
	type DataProblem,
	listItemsMax,
	type TemplateVersion,
	type Values,
	type Variable,
	type VariableKind,
} from "../template.ts";
import type { AuthoredContent, TemplateView, VersionView } from "./template-view.store.ts";

/** What an author changes in a draft. Without variables or samples, those of the template stay. */
export type DraftChange = {
	variables?: readonly Variable[] | undefined;
	samples?: Values | undefined;
	contents: readonly ContentSource[];
};

/**
 * Returns a draft with a change. The variables are those of the platform's template where there is one,
 * because callers and triggers send these: with others it throws `template_invalid`.
 */
export function changedDraft(template: TemplateView, change: DraftChange): TemplateSource {
	const [platform, base] = [platformOf(template), baseOf(template)];
	if (platform !== undefined && change.variables !== undefined)
		throw invalidVariables("variables", fault("variables_of_platform"));
	const { variables = base.variables, samples, contents } = change;
	requireVariables(variables);
	const merged: Values = { ...base.samples, ...template.draft?.samples, ...samples };
	const declared = variables.flatMap(({ name }) =>
		Object.hasOwn(merged, name) ? [[name, merged[name]] as const] : [],
	);
	const { path, category } = template;
	return { path, category, variables, samples: Object.fromEntries(declared), contents };
}

/** Returns the stored draft as it is published: with the variables that the platform's template has now. */
export const storedDraft = (template: TemplateView, draft: VersionView): TemplateSource =>
	changedDraft(template, { contents: draft.contents.map(toSource) });

const platformOf = ({ platform, live, origin }: TemplateView): VersionView | undefined =>
	platform ?? (origin === "platform" ? live : undefined);

/** Names that every template may read, or that the layout uses. */
const reserved: ReadonlySet<string> = new Set(["tenant", "layout"]);

/** Refuses names that occur twice or are reserved, and lists without members. Throws `template_invalid`. */
export function requireVariables(variables: readonly Variable[], place = "variables"): void {
	const names = variables.map(({ name }) => name);
	for (const [index, { name, kind, members }] of variables.entries()) {
		if (reserved.has(name)) throw invalidVariables(`${place}.${name}`, fault("name_reserved"));
		if (names.indexOf(name) !== index) throw invalidVariables(`${place}.${name}`, fault("name_repeated"));
		if ((kind === "list") !== (members !== undefined))
			throw invalidVariables(`${place}.${name}`, fault("members_mismatched"));
		if (members !== undefined) requireVariables(members, `${place}.${name}`);
	}
}

/** The refusal `template_invalid` of a field of the request, with everything that is wrong. */
export function templateInvalid(field: string, problems: readonly TemplateFinding[]) {
	const message = problems.map(({ place, reason }) => `${place}: ${reason}`).join(" ");
	return failures.template_invalid({ message, fields: { field, in: "body", problems } });
}

const invalidVariables = (place: string, found: Fault) => templateInvalid(place, [findingAt(place, found)]);

/** The version whose variables hold: the platform's, else that of the tenant. */
function baseOf(template: TemplateView): VersionView {
	const base = platformOf(template) ?? template.draft ?? template.live;
	if (base === undefined) throw new Error("the template has no version");
	return base;
}

const toSource = ({ channel, locale, subject, source, whatsapp_name }: AuthoredContent): ContentSource => ({
	...{ channel, locale, source },
	...(subject !== null && { subject }),
	...(whatsapp_name !== null && { whatsappName: whatsapp_name }),
});

/**
 * Checks a template as for publishing: every sample, English on every channel, every text, and that each
 * content can be rendered with the samples. Returns the compiled template, or everything that is wrong.
 */
export async function checkTemplate(
	source: TemplateSource,
	allowHttp: boolean,
): Promise<{ ok: TemplateVersion } | { problems: readonly TemplateFinding[] }> {
	const { variables, samples } = source;
	const checked = checkData(variables, samples, { allowHttp });
	const problems = "problems" in checked ? checked.problems.map((one) => sampleFinding(variables, one)) : [];
	try {
		const ok = await compileTemplate(source);
		return problems.length === 0 ? { ok } : { problems };
	} catch (error) {
		if (!(error instanceof TemplateInvalid)) throw error;
		return { problems: [...problems, ...error.problems] };
	}
}

const wrongSamples: Readonly<Record<VariableKind, (name: string) => Fault>> = {
	text: (name) => fault("sample_not_text", { name }),
	secret: (name) => fault("sample_not_secret", { name }),
	number: (name) => fault("sample_not_number", { name }),
	date: (name) => fault("sample_not_date", { name }),
	link: (name) => fault("sample_not_link", { name }),
	list: (name) => fault("sample_not_list", { name, max: listItemsMax }),
};

/** What is wrong with the sample of a variable. */
function sampleFinding(variables: readonly Variable[], { field, code }: DataProblem): TemplateFinding {
	const name = field.slice("data.".length);
	const kind = variables.find((variable) => variable.name === name)?.kind ?? "text";
	const found = code === "variable_missing" ? fault("sample_missing", { name }) : wrongSamples[kind](name);
	return findingAt(`samples.${name}`, found);
}
