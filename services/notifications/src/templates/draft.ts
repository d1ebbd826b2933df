import { failures } from "../failures.ts";
import {
	type ContentSource,
	compileTemplate,
	TemplateInvalid,
	type TemplateProblem,
	type TemplateSource,
} from "../rendering/compile-template.ts";
import { checkData, type TemplateVersion, type Values, type Variable } from "../template.ts";
import type { AuthoredContent, TemplateView, VersionView } from "./template-view.store.ts";

/** What an author changes in a draft. Without variables or samples, those of the template stay. */
export type DraftChange = {
	variables?: readonly Variable[] | undefined;
	samples?: Values | undefined;
	contents: readonly ContentSource[];
};

/**
 * Returns a draft with a change. The variables are those of the platform's template where there is one, because
 * callers and triggers send these: with others it throws `template_invalid`.
 */
export function changedDraft(template: TemplateView, change: DraftChange): TemplateSource {
	const [platform, base] = [platformOf(template), baseOf(template)];
	if (platform !== undefined && change.variables !== undefined)
		throw invalidVariables("variables", "The variables are those of the platform's template.");
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
		if (reserved.has(name)) throw invalidVariables(`${place}.${name}`, "The name is reserved.");
		if (names.indexOf(name) !== index) throw invalidVariables(`${place}.${name}`, "The name occurs twice.");
		if ((kind === "list") !== (members !== undefined))
			throw invalidVariables(`${place}.${name}`, "A list has members, and nothing else has.");
		if (members !== undefined) requireVariables(members, `${place}.${name}`);
	}
}

const invalidVariables = (place: string, reason: string) =>
	failures.template_invalid({
		message: `${place}: ${reason}`,
		fields: { field: place, in: "body", problems: [{ place, reason }] },
	});

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
 * Checks a template as for publishing: every sample, English on every channel, every text, and that each content
 * can be rendered with the samples. Returns the compiled template, or everything that is wrong.
 */
export async function checkTemplate(
	source: TemplateSource,
	allowHttp: boolean,
): Promise<{ ok: TemplateVersion } | { problems: readonly TemplateProblem[] }> {
	const { variables, samples } = source;
	const checked = checkData(variables, samples, { allowHttp });
	const problems =
		"problems" in checked
			? checked.problems.map(({ field, message }) => ({
					place: field.replace(/^data/, "samples"),
					reason: message,
				}))
			: [];
	try {
		const ok = await compileTemplate(source);
		return problems.length === 0 ? { ok } : { problems };
	} catch (error) {
		if (!(error instanceof TemplateInvalid)) throw error;
		return { problems: [...problems, ...error.problems] };
	}
}
