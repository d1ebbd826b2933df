import { beforeAll, expect, test } from "vitest";
import { compileTemplate } from "../rendering/compile-template.ts";
import { renderMessage } from "../rendering/render.ts";
import type { Rendered } from "../rendering/rendered.ts";
import type { TemplateVersion, Values } from "../template.ts";
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
