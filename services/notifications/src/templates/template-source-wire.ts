import { Shape } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { channels } from "../channel.ts";
import { fault, findingAt } from "../findings/finding.ts";
import type { ContentSource } from "../rendering/compile-template.ts";
import { variableKinds } from "../template.ts";
import { templateInvalid } from "./draft.ts";

const sourceLengthMax = 262_144;
const contentsMax = 40;
/** The database stores neither NUL nor half of a character. */
const storable = "^[^\\u0000\\p{Cs}]*$";

/** Values of the variables for previews and for the proof before publishing. */
export const SamplesWire = Type.Record(Type.String({ maxLength: 60 }), Type.Unknown(), { maxProperties: 50 });

const name = Type.String({ pattern: "^[a-z][a-z0-9_]{0,59}$" });
const memberKinds = variableKinds.filter((kind) => kind !== "list");

/** The variables of a template of the tenant's own. */
export const NewVariables = Type.Array(
	Shape({
		name,
		kind: Type.Enum([...variableKinds], { type: "string" }),
		members: Type.Optional(
			Type.Array(Shape({ name, kind: Type.Enum([...memberKinds], { type: "string" }) }), {
				...{ minItems: 1, maxItems: 20, description: "The members of the items of a list" },
			}),
		),
	}),
	{ maxItems: 50 },
);

const NewContent = Shape({
	channel: Type.Enum([...channels], { type: "string" }),
	locale: Type.String({ pattern: "^[a-z]{2,3}(-[A-Z]{2})?$" }),
	subject: Type.Optional(
		Type.String({
			maxLength: 1_000,
			pattern: storable,
			description: "Of an e-mail, or the title of a short message",
		}),
	),
	source: Type.String({
		maxLength: sourceLengthMax,
		pattern: storable,
		description: "Liquid; of an e-mail MJML with Liquid. At most 256 KB",
	}),
	whatsapp_name: Type.Optional(
		Type.String({
			pattern: "^([a-z0-9_]{1,512}|HX[0-9a-f]{32})$",
			"x-error": "must be small letters, digits and _, or the id of a template at Twilio (HX…)",
			description: "The template that WhatsApp approved; at Twilio its ContentSid",
		}),
	),
});

/** The contents of a draft as an author sends them. */
export const NewContents = Type.Array(NewContent, { maxItems: contentsMax });

/**
 * Reads contents as an author sent them. Throws `template_invalid` for a channel that has a language twice.
 */
export function readContents(contents: Static<typeof NewContents>): readonly ContentSource[] {
	const places = contents.map(({ channel, locale }) => `${channel}.${locale}`);
	const index = places.findIndex((place, at) => places.indexOf(place) !== at);
	if (index >= 0) {
		const finding = findingAt(places[index] ?? "", fault("content_repeated"));
		throw templateInvalid(`contents.${index}`, [finding]);
	}
	return contents.map(({ whatsapp_name: whatsappName, ...content }) => ({
		...content,
		...(whatsappName !== undefined && { whatsappName }),
	}));
}
