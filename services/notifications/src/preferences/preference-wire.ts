import { chassisFailures } from "@lango/chassis";
import { Shape } from "@lango/contracts";
import { isTimeZone } from "@lango/contracts/time-zone";
import Type, { type Static } from "typebox";
import { type Channel, channels } from "../channel.ts";
import { failures } from "../failures.ts";
import { type Category, categories, isCritical } from "../template.ts";
import type { Choice, EffectiveChoice, PersonSettings } from "./preference.store.ts";

const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = Type.String({ pattern: "^([01]\\d|2[0-3]):[0-5]\\d$", "x-error": "must be a time: HH:MM" });

/** `{from each name: the value}`, typed by the names. */
const byName = <const N extends string, V>(names: readonly N[], make: (name: N) => V) =>
	Object.fromEntries(names.map((name) => [name, make(name)])) as { [name in N]: V };

const Settings = {
	locale: OrNull(
		Type.String({
			pattern: "^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$",
			"x-error": "must be a language tag, for example en or en-KE",
			maxLength: 35,
			description: "Null: that of the person's account, else the tenant's",
		}),
	),
	time_zone: OrNull(Type.String({ maxLength: 64, description: "For quiet hours. Null: the tenant's" })),
	quiet_hours: OrNull(Shape({ from: Time, until: Time })),
};

/** Choices as they are sent: what is left out is the default. */
const Choices = Type.Optional(
	Shape(
		byName(categories, () => Type.Optional(Shape(byName(channels, () => Type.Optional(Type.Boolean()))))),
	),
);

/** The body of a person's own preferences. What is left out is reset to the default. */
export const PreferencesBody = Shape({
	...{ locale: Type.Optional(Settings.locale), time_zone: Type.Optional(Settings.time_zone) },
	...{ quiet_hours: Type.Optional(Settings.quiet_hours), categories: Choices },
});
/** The body of a tenant's or the platform's defaults. */
export const DefaultsBody = Shape({ categories: Choices });

const CategoryWire = Type.Object({
	category: Type.Enum([...categories], { type: "string" }),
	is_critical: Type.Boolean({ description: "Always sent: it cannot be switched off" }),
	channels: Type.Object(
		byName(channels, () =>
			Type.Object({
				is_on: Type.Boolean(),
				chosen_by: OrNull(Type.Enum(["person", "tenant", "platform"], { type: "string" })),
			}),
		),
	),
});

/** The defaults as the API shows them. */
export const DefaultsWire = Type.Object({ categories: Type.Array(CategoryWire) });
/** A person's preferences as the API shows them. */
export const PreferencesWire = Type.Object({ ...Settings, categories: Type.Array(CategoryWire) });

/**
 * Reads the choices of a body. Throws `category_critical` for a category that is always sent; it names the
 * field.
 */
export function readChoices(sent: Static<typeof DefaultsBody>["categories"] = {}): Choice[] {
	const wanted = Object.entries(sent) as Array<[Category, { [channel in Channel]?: boolean }]>;
	return wanted.flatMap(([category, of]) => {
		if (isCritical(category))
			throw failures.category_critical({ fields: { field: `categories.${category}`, in: "body" } });
		return Object.entries(of).map(([channel, isOn]) => ({ category, channel: channel as Channel, isOn }));
	});
}

/**
 * Reads the settings of a body. Throws `invalid_input` for an unknown time zone, or quiet hours without
 * length.
 */
export function readSettings(body: Static<typeof PreferencesBody>): PersonSettings {
	const { locale = null, time_zone: timeZone = null, quiet_hours: quietHours = null } = body;
	if (timeZone !== null && !isTimeZone(timeZone)) throw unknownTimeZone();
	if (quietHours !== null && quietHours.from === quietHours.until)
		throw chassisFailures.invalid_input({
			message: "Quiet hours must end at another time than they begin.",
			fields: { field: "quiet_hours.until", in: "body" },
		});
	return { locale, timeZone, quietHours };
}

/** The refusal of a time zone that is not known. */
export const unknownTimeZone = () =>
	chassisFailures.invalid_input({
		message: "The time zone is not known.",
		fields: { field: "time_zone", in: "body" },
	});

/** Converts choices for the API: every category and channel, with what is in force. */
export function toCategoriesWire(
	choices: readonly EffectiveChoice[],
): Static<typeof DefaultsWire>["categories"] {
	const known = new Map(choices.map((choice) => [`${choice.category} ${choice.channel}`, choice]));
	return categories.map((category) => ({
		...{ category, is_critical: isCritical(category) },
		channels: byName(channels, (channel) => {
			const chosen = isCritical(category) ? undefined : known.get(`${category} ${channel}`);
			return { is_on: chosen?.isOn ?? true, chosen_by: chosen?.chosenBy ?? null };
		}),
	}));
}

/** Converts a person's preferences for the API. */
export function toPreferencesWire(
	settings: PersonSettings | undefined,
	choices: readonly EffectiveChoice[],
): Static<typeof PreferencesWire> {
	const { locale = null, timeZone = null, quietHours = null } = settings ?? {};
	return { locale, time_zone: timeZone, quiet_hours: quietHours, categories: toCategoriesWire(choices) };
}
