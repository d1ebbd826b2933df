import type { TenantSettings } from "@lango/contracts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { SubmitForm } from "../../forms/submit-form.tsx";
import { Page } from "../../layout/page.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { showToast } from "../../notices/toast.ts";
import { usePlatform } from "../../platform.ts";
import { LogoSection } from "./logo-section.tsx";
import { changeSettings, settingsKey, settingsQuery } from "./settings.queries.ts";
import {
	type DraftFields,
	IsolationSection,
	JoiningSection,
	LookSection,
	PlaceSection,
} from "./settings-fields.tsx";
import { changeOf, checkSettings, type Draft, draftOf, readSettings, rebaseDraft } from "./settings-form.ts";
import { useSettingsTexts } from "./texts.ts";

const route = getRouteApi("/$slug/settings");

/** `/{slug}/settings`: a tenant's name, appearance, region and join policy. */
export function SettingsPage() {
	const { slug } = route.useParams();
	const words = useSettingsTexts();
	const settings = useQuery(settingsQuery(usePlatform(), slug));
	return (
		<Page title={words.title} lead={words.lead(settings.data?.name ?? slug)}>
			<Loaded query={settings} isMain>
				{(now) => <Settings key={now.id} now={now} />}
			</Loaded>
		</Page>
	);
}

function Settings({ now }: { now: TenantSettings }) {
	const { slug } = now;
	// The settings that the fields were filled with, not newer ones: an unchanged field must not undo a
	// change of another administrator.
	const [before, setBefore] = useState(now);
	const [draft, setDraft] = useState(() => draftOf(now));
	const platform = usePlatform();
	const queries = useQueryClient();
	const words = useSettingsTexts();
	const attempt = useMutation({
		mutationFn: async (sent: Draft) => {
			const change = changeOf(before, readSettings(sent));
			return change === undefined ? undefined : changeSettings(platform, { slug, change });
		},
		onSuccess: async (after, sent) => {
			if (after === undefined) return showToast("done", words.same);
			queries.setQueryData(settingsKey(slug), after);
			setBefore(after);
			setDraft((typed) => rebaseDraft(typed, sent, after));
			// Pages show name, logo and time zone from the public tenant, which is cached for hours.
			await queries.invalidateQueries({ queryKey: ["tenant", slug] });
			showToast("done", words.saved);
		},
	});
	const fields: DraftFields = { draft, onDraft: (change) => setDraft((typed) => ({ ...typed, ...change })) };
	return (
		<>
			<LogoSection now={now} />
			<SubmitForm
				submit={words.save}
				submitting={words.saving}
				isBusy={attempt.isPending}
				failure={attempt.error}
				fieldMessages={words.fieldErrors}
				check={() => checkSettings(readSettings(draft), words.inputErrors)}
				onSubmit={() => attempt.mutate(draft)}
			>
				{(field) => (
					<div className="grid items-start gap-5 xl:grid-cols-2">
						<LookSection {...fields} saved={now} field={field} />
						<div className="grid gap-5">
							<PlaceSection {...fields} saved={before} field={field} />
							<JoiningSection {...fields} field={field} />
							<IsolationSection {...fields} field={field} />
						</div>
					</div>
				)}
			</SubmitForm>
		</>
	);
}
