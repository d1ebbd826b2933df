import type { TemplateFinding } from "@lango/contracts";
import type { Channel } from "../channel.ts";
import { type Fault, fault, findingAt } from "../findings/finding.ts";
import type { Category, TemplateContent, TemplateVersion, Values, Variable } from "../template.ts";
import { checkHtml } from "./check-html.ts";
import { checkSource } from "./check-source.ts";
import { expectedTokens, finishPage, wrapBody } from "./layout.ts";
import { checkLiquid } from "./liquid/check-liquid.ts";
import { listTokens } from "./liquid/liquid.ts";
import { renderFault } from "./liquid/liquid-fault.ts";
import { type CompileMjml, compileMjml } from "./mjml.ts";
import { renderMessage } from "./render.ts";
import { showHosts } from "./show-hosts.ts";
import { textPartOf } from "./text-part.ts";

/** What an author wrote for a channel in a language. */
export type ContentSource = Pick<
	TemplateContent,
	"channel" | "locale" | "subject" | "source" | "whatsappName"
>;

/** A template before it is compiled. `samples` has a value for every variable. */
export type TemplateSource = {
	path: string;
	category: Category;
	variables: readonly Variable[];
	samples: Values;
	contents: readonly ContentSource[];
};

/** Thrown by `compileTemplate` with everything that is wrong. */
export class TemplateInvalid extends Error {
	override name = "TemplateInvalid";
	readonly problems: readonly TemplateFinding[];
	constructor(path: string, problems: readonly TemplateFinding[]) {
		super(
			`The template ${path} is invalid: ${problems.map(({ place, reason }) => `${place}: ${reason}`).join(" ")}`,
		);
		this.problems = problems;
	}
}

/**
 * Checks and compiles a template, and renders every content with the samples. E-mail is compiled in a worker
 * thread. Throws `TemplateInvalid`.
 */
export async function compileTemplate(
	source: TemplateSource,
	compile: CompileMjml = compileMjml,
): Promise<TemplateVersion> {
	const { path, category, variables } = source;
	const results = await Promise.all(
		source.contents.map((content) => compileContent(source, content, compile)),
	);
	const problems = [
		...checkLocales(source),
		...results.flatMap((result) => ("problems" in result ? result.problems : [])),
	];
	const contents = results.flatMap((result) => ("ok" in result ? [result.ok] : []));
	const version = { path, category, variables, contents };
	if (problems.length === 0)
		problems.push(...contents.flatMap((content) => tryContent(version, content, source.samples)));
	if (problems.length > 0) throw new TemplateInvalid(path, problems);
	return version;
}

/** Every channel has English, which is the last fallback, and a channel has a language once. */
function checkLocales({ contents }: TemplateSource): TemplateFinding[] {
	const places = contents.map(({ channel, locale }) => `${channel}.${locale}`);
	const channels = new Set(contents.map(({ channel }) => channel));
	return [
		...[...channels]
			.filter((channel) => !places.includes(`${channel}.en`))
			.map((channel) => findingAt(`${channel}.en`, fault("english_missing"))),
		...places
			.filter((place, index) => places.indexOf(place) !== index)
			.map((place) => findingAt(place, fault("content_repeated"))),
		...(contents.length === 0 ? [findingAt("contents", fault("content_missing"))] : []),
	];
}

type Compiled = { ok: TemplateContent } | { problems: readonly TemplateFinding[] };

const withSubject: ReadonlySet<Channel> = new Set(["email", "push", "in_app"]);

/** Checks and compiles one content, without rendering it. */
export async function compileContent(
	{ category, variables }: Pick<TemplateSource, "path" | "category" | "variables">,
	content: ContentSource,
	compile: CompileMjml = compileMjml,
): Promise<Compiled> {
	const { channel, locale, subject, source } = content;
	const at = (part: string) => (found: Fault) => findingAt(`${channel}.${locale}.${part}`, found);
	const problems = [
		...(/^[a-z]{2,3}(?:-[A-Z]{2})?$/.test(locale) ? [] : [at("locale")(fault("locale_invalid"))]),
		...checkSubject(channel, subject, variables).map(at("subject")),
		...checkLiquid(source, variables).map(at("source")),
	];
	if (problems.length > 0) return { problems };
	if (channel !== "email") return { ok: { ...content, text: source } };
	const compiled = await compileEmail(source, { locale, category, variables }, compile);
	return "problems" in compiled
		? { problems: compiled.problems.map(at("source")) }
		: { ok: { ...content, ...compiled } };
}

function checkSubject(
	channel: Channel,
	subject: string | undefined,
	variables: readonly Variable[],
): readonly Fault[] {
	if (!withSubject.has(channel)) return subject === undefined ? [] : [fault("subject_unused")];
	if (subject === undefined || subject.trim() === "") return [fault("subject_missing")];
	return checkLiquid(subject, variables);
}

async function compileEmail(
	body: string,
	{ variables, ...place }: { locale: string; category: Category; variables: readonly Variable[] },
	compile: CompileMjml,
): Promise<{ html: string; text: string } | { problems: readonly Fault[] }> {
	const sourceProblems = checkSource(body);
	if (sourceProblems.length > 0) return { problems: sourceProblems };
	const shown = showHosts(body);
	const result = await compile(wrapBody(shown, place));
	if ("problems" in result) return result;
	const { html } = result;
	const text = textPartOf(html);
	const isWhole = JSON.stringify(listTokens(html)) === JSON.stringify(expectedTokens(shown, place));
	const problems = [...checkHtml(html, variables), ...(isWhole ? [] : [fault("liquid_misplaced")])];
	return problems.length > 0 ? { problems } : { html: finishPage(html), text };
}

/** Renders a content with the samples as a proof that it can be rendered. */
function tryContent(
	version: TemplateVersion,
	{ channel, locale }: TemplateContent,
	samples: Values,
): readonly TemplateFinding[] {
	try {
		renderMessage({
			template: version,
			channel,
			locale,
			values: samples,
			formats: { timeZone: "Africa/Nairobi", currency: "KES" },
			branding: { tenantName: "Example" },
			to: "someone@example.com",
			from: { name: "Example", address: "no-reply@example.com" },
		});
		return [];
	} catch (error) {
		return [findingAt(`${channel}.${locale}`, renderFault(error))];
	}
}
