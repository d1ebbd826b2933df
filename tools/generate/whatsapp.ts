import { catalogue } from "../../services/notifications/src/catalogue/catalogue.ts";
import { notice, toPage, toTable } from "./table.ts";

/** docs/generated/whatsapp.md: the templates to create at the vendors of WhatsApp. */
export function describeWhatsapp(): string {
	const rows = catalogue.flatMap(({ variables, contents, category }) =>
		contents
			.filter(({ channel }) => channel === "whatsapp")
			.map(({ locale, whatsappName, source }) => [
				`\`${whatsappName}\``,
				locale,
				category,
				variables.map(({ name }, at) => `{{${at + 1}}} ${name}`).join("; "),
				`\`${source}\``,
			]),
	);
	return toPage([
		notice,
		"# Templates of WhatsApp",
		"A WhatsApp message outside of a conversation is one of these templates. Create each at the vendor in both languages before the platform's messages are sent there: with this name, and with a body that has the parameters by these numbers. All are sent, whatever the body shows. The last column is the text as the platform writes it, in Liquid; the vendor's text has `{{1}}` where a variable is shown, and no conditions.",
		toTable(["name", "language", "category", "parameters", "text"], rows),
	]);
}
