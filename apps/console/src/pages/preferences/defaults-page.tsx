import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { SaveForm } from "../../forms/save-form.tsx";
import { wholeOf } from "../../inbox/inbox.queries.ts";
import { Page } from "../../layout/page.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { serviceAddress } from "../../services/service-access.queries.ts";
import { useIsPlatform } from "../access/use-is-platform.ts";
import { NotificationsGate } from "../messages/state/notifications-gate.tsx";
import { CategoryFields } from "./category-fields.tsx";
import { type Defaults, defaultsQuery, type Own, preferencesKey } from "./preference.queries.ts";
import { readChoices } from "./preference-form.ts";
import { usePreferenceTexts } from "./texts.ts";

const route = getRouteApi("/$slug/preference-defaults");

/**
 * `/{slug}/preference-defaults`: the preferences of people who have not chosen. At the platform: of all.
 */
export function PreferenceDefaultsPage() {
	const { slug } = route.useParams();
	const platform = usePlatform();
	const words = usePreferenceTexts();
	return (
		<NotificationsGate slug={slug} permission="notifications.preferences.view">
			{(scope, may) => (
				<Page title={words.defaultsTitle} lead={words.defaultsLead}>
					<TenantDefaults
						own={{ address: serviceAddress(platform, scope), slug }}
						mayChange={may("notifications.preferences.change")}
					/>
				</Page>
			)}
		</NotificationsGate>
	);
}

type Props = { own: Own; mayChange: boolean };

function TenantDefaults(props: Props) {
	const query = useQuery(defaultsQuery(usePlatform(), props.own));
	return (
		<Loaded query={query} isMain>
			{(now) => <DefaultsForm key={JSON.stringify(now)} {...props} now={now} />}
		</Loaded>
	);
}

function DefaultsForm({ own, mayChange, now }: Props & { now: Defaults }) {
	const platform = usePlatform();
	const words = usePreferenceTexts();
	const chooser = useIsPlatform(own.slug) ? "platform" : "tenant";
	if (!mayChange)
		return (
			<fieldset disabled className="min-w-0">
				<CategoryFields categories={now.categories} />
			</fieldset>
		);
	return (
		<SaveForm
			texts={{ ...words, saved: words.defaultsSaved }}
			save={(entered) =>
				platform.client.call(`${own.address}/preferences/defaults`, {
					...wholeOf(platform, own.slug),
					method: "PUT",
					body: { categories: readChoices(entered, now.categories, chooser) },
				})
			}
			invalidates={preferencesKey(own.slug)}
		>
			{(field) => <CategoryFields categories={now.categories} field={field} />}
		</SaveForm>
	);
}
