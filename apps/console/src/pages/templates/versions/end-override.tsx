import { ClientError } from "@lango/client";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ConfirmButton } from "../../../dialogs/confirm-button.tsx";
import { Section } from "../../../layout/section.tsx";
import { usePlatform } from "../../../platform.ts";
import { endOverride, templateQuery, templatesKey } from "../draft/templates.queries.ts";
import { useTemplateTexts } from "../draft/texts.ts";
import type { Editing } from "../draft/use-draft.ts";

/**
 * Ends an override, so that the platform's template is in force again; withdraws a template of the tenant's
 * own; the platform owner returns to the text of the release.
 */
export function EndOverride({ editing: { base, place, take } }: { editing: Editing }) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const navigate = useNavigate();
	const { ends } = useTemplateTexts();
	const { isPlatform, slug } = place.scope;
	// A draft alone is discarded the same way.
	const hasOwn = isPlatform ? true : base.origin !== "platform" || base.draft !== null;
	if (!hasOwn) return null;
	const words = isPlatform
		? ends.release
		: base.platform === null && base.origin !== "platform"
			? ends.own
			: ends.override;
	const end = async () => {
		await endOverride(platform, place);
		try {
			take(await queries.fetchQuery({ ...templateQuery(platform, place), staleTime: 0 }));
		} catch (error) {
			// Nothing of it was ever published.
			if (!(error instanceof ClientError) || error.status !== 404) throw error;
			await navigate({ to: isPlatform ? "/$slug/platform/templates" : "/$slug/templates", params: { slug } });
		}
	};
	return (
		<Section title={words.title}>
			<p className="mb-3 max-w-prose text-quiet">{words.lead}</p>
			<ConfirmButton
				texts={words.action}
				isDestructive
				name={base.path}
				action={end}
				invalidates={templatesKey(place.scope)}
			/>
		</Section>
	);
}
