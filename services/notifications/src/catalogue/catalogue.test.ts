import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { beforeAll, expect, test } from "vitest";
import { compileTemplate } from "../rendering/compile-template.ts";
import { renderMessage } from "../rendering/render.ts";
import type { Rendered } from "../rendering/rendered.ts";
import { checkData, type TemplateVersion, type Values, type Variable } from "../template.ts";
import { catalogue } from "./catalogue.ts";

/** Templates by their path, compiled once. */
const versions = new Map<string, TemplateVersion>();
beforeAll(async () => {
	const compiled = await Promise.all(catalogue.map((source) => compileTemplate(source)));
	for (const version of compiled) versions.set(version.path, version);
});

const recipients = {
	email: "amina@example.com",
	sms: "+254712345678",
	whatsapp: "+254712345678",
	push: "device-token",
	in_app: "user:00000000-0000-4000-8000-000000000001",
};

function renderAll(path: string, values: Values): Array<{ name: string; rendered: Rendered }> {
	const template = versions.get(path);
	if (template === undefined) throw new Error(`No template ${path}`);
	return template.contents.map(({ channel, locale }) => ({
		name: `${channel} ${locale}`,
		rendered: renderMessage({
			template,
			channel,
			locale,
			values,
			formats: { timeZone: "Africa/Nairobi", currency: "KES" },
			branding: { tenantName: "Uhai Hospital", logoUrl: "https://cdn.example.com/uhai.png" },
			to: recipients[channel],
			from: { name: "Uhai Hospital", address: "no-reply@lango.example" },
			unsubscribeUrl: "https://notifications.example.com/public/unsubscribe?t=sample",
		}),
	}));
}

/** What people read of a message: the page of an e-mail is left out, its text part has the same words. */
const print = ({ name, rendered }: { name: string; rendered: Rendered }): string => {
	const { html, text, body, ...rest }: Record<string, unknown> = { ...rendered };
	const fields = Object.entries(rest).filter(([field]) => !["channel", "to", "from"].includes(field));
	const lines = fields.map(
		([field, value]) => `${field}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
	);
	return [`=== ${name}`, ...lines, "", text ?? body, ""].join("\n");
};

test.each(catalogue)(
	"$path says the same in all languages and on all channels",
	async ({ path, samples }) => {
		const printed = renderAll(path, samples).map(print).join("\n");
		await expect(printed).toMatchFileSnapshot(`snapshots/${path.replace("/", "-")}.txt`);
	},
);

/** The catalogue of §2.2: these variables and no others. */
const specified: Readonly<Record<string, string>> = {
	"weighing/weight_ticket":
		"name, ticket_number, vehicle_reg, gross_weight, net_weight, compliance_status, download_link",
	"weighing/compliance_certificate": "name, certificate_number, vehicle_reg, expiry_date, download_link",
	"weighing/special_release": "name, release_number, vehicle_reg, reason, authorized_by, view_link",
	"reports/report_ready":
		"name, report_name, report_type, generated_at, date_range, download_link, retention_days",
	"reports/activity_report_submitted":
		"name, project_name, activity_title, submitted_by, submission_date, review_link",
	"reports/activity_report_approved":
		"name, project_name, activity_title, approved_by, approval_date, action_link",
	"reports/activity_report_rejected":
		"name, project_name, activity_title, rejected_by, rejection_reason, action_link",
	"cafe/cafe_contact_form": "name, email, message, submitted_at",
	"isp/subscription_credentials":
		"customer_name, username, password, package_name, package_type, expiry_at (sms, whatsapp, email)",
	"isp/payment_received": "customer_name, amount, currency, package_name, expiry_at (sms, email)",
	"isp/subscription_renewal": "customer_name, package_name, package_type, expiry_at",
	"isp/isp_subscription_expiring": "customer_name, package_name, expiry_at, days_remaining",
	"isp/low_credit_alert": "tenant_name, balance, threshold",
	"shared/generic_notification": "name, title, message, action_link",
	"shared/system_alert": "name, alert_title, alert_message, severity, action_link",
	"shared/approval_required": "name, item_type, item_id, requester, action_link",
};

test.each(Object.entries(specified))("%s has the variables of the specification", (path, line) => {
	const [variables, channels] = line.split(/ \(|\)/);
	const version = versions.get(path);
	expect(version?.variables.map(({ name }) => name).join(", ")).toBe(variables);
	const found = new Set(version?.contents.map(({ channel }) => channel));
	if (channels !== undefined) expect([...found].join(", ")).toBe(channels);
});

test.each(catalogue)("$path has every channel in English and Swahili", ({ contents }) => {
	const places = contents.map(({ channel, locale }) => `${channel} ${locale}`);
	const channels = new Set(contents.map(({ channel }) => channel));
	expect(places).toEqual([...channels].flatMap((channel) => [`${channel} en`, `${channel} sw`]));
});

test.each(catalogue)("$path is refused without any one of its variables", ({ variables, samples }) => {
	expect(checkData(variables, samples)).toHaveProperty("ok");
	for (const { name } of variables.filter(({ isFetched }) => isFetched !== true)) {
		const { [name]: _left, ...rest } = samples;
		expect(checkData(variables, rest)).toMatchObject({
			problems: [{ field: `data.${name}`, code: "variable_missing" }],
		});
	}
});

/** All texts of a message, also the values of an approved template. */
const textsOf = (rendered: Rendered): readonly string[] => [
	...Object.values(rendered).filter((value) => typeof value === "string"),
	...parametersOf(rendered),
];
const parametersOf = (rendered: Rendered): readonly string[] =>
	rendered.channel === "whatsapp" ? (rendered.template?.values ?? []) : [];

test.each(catalogue)(
	"$path leaves no variable open, no empty link, and is not clipped by Gmail",
	(source) => {
		for (const { rendered } of renderAll(source.path, source.samples))
			for (const text of textsOf(rendered)) {
				expect(text).not.toMatch(/undefined|\[object|NaN|\{\{|\{%|(?:href|src)="(?!https:)/);
				expect(text.length).toBeLessThan(60_000);
			}
	},
);

test.each(catalogue)("every SMS of $path has at most two segments with samples", ({ path, samples }) => {
	const messages = renderAll(path, samples).flatMap(({ rendered }) =>
		rendered.channel === "sms" ? [rendered] : [],
	);
	for (const { segments } of messages) expect(segments).toBeLessThanOrEqual(2);
});

const hostile = {
	"a tag": '</td></table><script>alert(1)</script><img src=x onerror="alert(1)">',
	"line breaks": "a\r\nBcc: other@example.com\r\n\r\nb",
	Liquid: "{{ 7 | times: 7 }}{% for a in b %}{% raw %}",
	"10 KB": "x".repeat(10 * 1024),
	"right to left": "مرحبا \u202egnp.exe",
	emoji: "👩🏽‍⚕️".repeat(40),
	quotes: `"'\`--><!--<![CDATA[`,
};

/** The elements of a page and the names of their attributes. Line breaks of values are elements, too. */
function shapeOf(html: string): string {
	const walk = (node: DefaultTreeAdapterTypes.Node): string => {
		const children = "childNodes" in node ? node.childNodes.map(walk).join("") : "";
		if (node.nodeName === "#comment") return "<!---->";
		if (!("tagName" in node)) return children;
		if (node.tagName === "br") return "";
		return `<${node.tagName} ${node.attrs.map(({ name }) => name).join(" ")}>${children}</>`;
	};
	return walk(parse(html));
}

const htmlOf = (rendered: Rendered): string => (rendered.channel === "email" ? rendered.html : "");

/** Shapes of the pages with samples. */
const shapes = new Map<string, readonly string[]>();
beforeAll(() => {
	for (const { path, samples } of catalogue)
		shapes.set(
			path,
			renderAll(path, samples).map(({ rendered }) => shapeOf(htmlOf(rendered))),
		);
});

/** The samples with a hostile value in each text, also of the items of lists, or in each link. */
function replaceIn(variables: readonly Variable[], samples: Values, { text, link }: Hostile): Values {
	const replace = ({ name, kind, members = [] }: Variable): unknown => {
		const sample = samples[name];
		if (kind === "link") return link ?? sample;
		if (!Array.isArray(sample)) return text ?? sample;
		return sample.map((item: Values) => replaceIn(members, item, { text, link }));
	};
	return Object.fromEntries(variables.map((variable) => [variable.name, replace(variable)]));
}
type Hostile = { text?: string | undefined; link?: string | undefined };

const inLinks = [
	["signs of HTML", "https://example.com/?a=1&copy=2&lt;script&gt;=3"],
	["emoji", `https://example.com/${hostile.emoji}`],
	["right to left", "https://example.com/مرحبا"],
] as const;

test.each<[string, Hostile]>([
	...Object.entries(hostile).map(([name, text]): [string, Hostile] => [`${name} in any text`, { text }]),
	...inLinks.map(([name, link]): [string, Hostile] => [`${name} in any link`, { link }]),
])("%s stays data in all templates", (_name, value) => {
	for (const { path, variables, samples } of catalogue) {
		const values = replaceIn(variables, samples, value);
		expect(checkData(variables, values)).toHaveProperty("ok");
		for (const [index, { name, rendered }] of renderAll(path, values).entries()) {
			expect(shapeOf(htmlOf(rendered)), `${path} ${name}`).toBe(shapes.get(path)?.[index]);
			expect(textsOf(rendered).join(), `${path} ${name}`).not.toMatch(/\r|\u202e|undefined/);
			expect(parametersOf(rendered).join(), `${path} ${name}`).not.toMatch(/\n/);
			if ("subject" in rendered) expect(rendered.subject).not.toMatch(/\n/);
			if ("title" in rendered) expect(rendered.title).not.toMatch(/\n/);
		}
	}
});

test.each<[string, string]>([
	["a script", "javascript:alert(1)"],
	["a page in the address", "data:text/html,<script>alert(1)</script>"],
	["a user name", "https://lango.example@evil.example/"],
	...Object.entries(hostile)
		.filter(([name]) => name !== "emoji")
		.map(([name, text]): [string, string] => [`${name} in the address`, `https://example.com/${text}`]),
])("%s is refused in every link of all templates", (_name, link) => {
	for (const { variables, samples } of catalogue)
		for (const { name, isFetched } of variables.filter(({ kind }) => kind === "link"))
			if (isFetched !== true)
				expect(checkData(variables, { ...samples, [name]: link })).toMatchObject({
					problems: [{ field: `data.${name}`, code: "variable_invalid" }],
				});
});
