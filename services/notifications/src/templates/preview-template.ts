import type { Channel } from "../channel.ts";
import { failures } from "../failures.ts";
import { findingAt } from "../findings/finding.ts";
import type { Letterhead } from "../letterheads/letterhead.ts";
import { compileContent } from "../rendering/compile-template.ts";
import { renderFault } from "../rendering/liquid/liquid-fault.ts";
import { renderMessage } from "../rendering/render.ts";
import type { Rendered } from "../rendering/rendered.ts";
import { checkData, type TemplateVersion, type Values, type Variable } from "../template.ts";
import { templateInvalid } from "./draft.ts";
import type { AuthoredContent, TemplateView, VersionView } from "./template-view.store.ts";

/** What is previewed: a content, what its author typed instead of it, and values instead of the samples. */
export type Preview = {
	channel: Channel;
	locale: string;
	typed: { subject?: string; source: string; whatsappName?: string } | undefined;
	/** Unsaved variables of a template of the tenant's own; undefined: those of the version. */
	variables?: readonly Variable[] | undefined;
	data: Values | undefined;
};

/** A content that can be rendered: compiled, with checked values. */
export type Readable = { template: TemplateVersion; values: Values; shown: Rendered };

/** The placeholder for addresses, which a preview does not show. */
const address = "preview@example.com";

/**
 * Compiles and renders a content of a template, of its draft if there is one, as the tenant's messages show
 * it. Throws `channel_unsupported` without such a content, `template_invalid` with place and reason, and
 * `variable_missing` or `variable_invalid` for the values (§2.2).
 */
export async function previewTemplate(
	{ path, category, draft, live }: TemplateView,
	{ channel, locale, typed, data, variables: unsaved }: Preview,
	{ letterhead, allowHttp }: { letterhead: Letterhead; allowHttp: boolean },
): Promise<Readable> {
	const version = draft ?? live;
	const stored = version?.contents.find((each) => each.channel === channel && each.locale === locale);
	const source = typed ?? (stored === undefined ? undefined : sourceOf(stored));
	if (version === undefined || source === undefined) throw failures.channel_unsupported();
	const { samples } = version;
	const variables = unsaved ?? version.variables;
	const compiled = await compileContent({ path, category, variables }, { channel, locale, ...source });
	if ("problems" in compiled) throw templateInvalid("source", compiled.problems);
	const values = readValues({ variables, samples }, data ?? samples, allowHttp);
	const template = { path, category, variables, contents: [compiled.ok] };
	try {
		const shown = renderMessage({
			...{ template, channel, locale, formats: letterhead, branding: letterhead, to: address },
			values,
			from: { name: letterhead.tenantName, address },
		});
		return { template, values, shown };
	} catch (cause) {
		throw templateInvalid("source", [findingAt(`${channel}.${locale}`, renderFault(cause))]);
	}
}

function sourceOf({ source, subject, whatsapp_name: whatsappName }: AuthoredContent) {
	return {
		source,
		...(subject !== null && { subject }),
		...(whatsappName !== null && { whatsappName }),
	};
}

/** Checks the values, and adds samples of those that the service fetches when it sends. */
function readValues(
	{ variables, samples }: Pick<VersionView, "variables" | "samples">,
	data: Values,
	allowHttp: boolean,
): Values {
	const checked = checkData(variables, data, { allowHttp });
	if ("problems" in checked) throw refusedData(checked.problems);
	const fetched = variables.filter(({ isFetched }) => isFetched === true).map(({ name }) => name);
	return { ...checked.ok, ...Object.fromEntries(fetched.map((name) => [name, samples[name]])) };
}

function refusedData(problems: ReadonlyArray<{ field: string; code: string; message: string }>) {
	const [first] = problems;
	if (first === undefined) throw new Error("checkData refused the data without a problem");
	const code = first.code === "variable_missing" ? "variable_missing" : "variable_invalid";
	return failures[code]({ message: first.message, fields: { field: first.field, in: "body", problems } });
}
