import { SelectField, TextField, useLanguage } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { SaveForm } from "../../forms/save-form.tsx";
import type { Field } from "../../forms/submit-form.tsx";
import { ownAddress, wholeOf } from "../../inbox/inbox.queries.ts";
import { Page } from "../../layout/page.tsx";
import { Section } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useZone } from "../../tenant/use-tenant.ts";
import { NotFoundPage } from "../errors/not-found-page.tsx";
import { listLocales, listZones } from "../settings/choices.ts";
import { Addresses } from "./addresses.tsx";
import { CategoryFields } from "./category-fields.tsx";
import { Devices } from "./devices.tsx";
import { type Own, type Preferences, preferencesKey, preferencesQuery } from "./preference.queries.ts";
import { checkSettings, readChoices, readSettings } from "./preference-form.ts";
import { usePreferenceTexts } from "./texts.ts";

const route = getRouteApi("/$slug/preferences");

/** `/{slug}/preferences`: which messages the user gets, on which channel, and when. */
export function PreferencesPage() {
	const { slug } = route.useParams();
	const words = usePreferenceTexts();
	const address = ownAddress(usePlatform(), slug);
	if (address === undefined) return <NotFoundPage />;
	const own = { address, slug };
	return (
		<Page title={words.title} lead={words.lead}>
			<OwnPreferences own={own} />
			<Addresses own={own} />
			<Devices own={own} />
		</Page>
	);
}

function OwnPreferences({ own }: { own: Own }) {
	const query = useQuery(preferencesQuery(usePlatform(), own));
	return (
		<Loaded query={query} isMain>
			{(now) => <PreferencesForm key={JSON.stringify(now)} own={own} now={now} />}
		</Loaded>
	);
}

type Props = { own: Own; now: Preferences };

function PreferencesForm({ own, now }: Props) {
	const platform = usePlatform();
	const words = usePreferenceTexts();
	const send = (body: object) =>
		platform.client.call(`${own.address}/preferences`, {
			...wholeOf(platform, own.slug),
			method: "PUT",
			body,
		});
	return (
		<SaveForm
			texts={words}
			save={(entered) =>
				send({ ...readSettings(entered), categories: readChoices(entered, now.categories, "person") })
			}
			invalidates={preferencesKey(own.slug, "own")}
			fieldMessages={words.fieldErrors}
			check={(entered) => checkSettings(entered, words.quietErrors)}
			aside={
				<ConfirmButton
					texts={words.reset}
					isDestructive
					action={() => send({})}
					invalidates={preferencesKey(own.slug, "own")}
				/>
			}
		>
			{(field) => (
				<>
					<Section title={words.categories} lead={words.categoriesLead}>
						<CategoryFields categories={now.categories} field={field} />
					</Section>
					<Section title={words.when} lead={words.whenLead}>
						<div className="max-w-2xl">
							<SettingsFields now={now} field={field} />
						</div>
					</Section>
				</>
			)}
		</SaveForm>
	);
}

function SettingsFields({ now, field }: Pick<Props, "now"> & { field: Field }) {
	const words = usePreferenceTexts();
	const language = useLanguage();
	const zone = useZone();
	return (
		<>
			<SelectField
				{...field("locale")}
				label={words.locale}
				defaultValue={now.locale ?? ""}
				options={[{ value: "", label: words.asPages }, ...listLocales(now.locale ?? "en-KE", language)]}
			/>
			<SelectField
				{...field("time_zone")}
				label={words.zone}
				defaultValue={now.time_zone ?? ""}
				options={[{ value: "", label: words.asOrganisation }, ...listZones(now.time_zone ?? zone)]}
			/>
			<div className="grid gap-x-4 sm:grid-cols-2">
				<TextField
					{...field("quiet_hours.from")}
					type="time"
					isOptional
					label={words.from}
					defaultValue={now.quiet_hours?.from ?? ""}
				/>
				<TextField
					{...field("quiet_hours.until")}
					type="time"
					isOptional
					label={words.until}
					defaultValue={now.quiet_hours?.until ?? ""}
				/>
			</div>
		</>
	);
}
