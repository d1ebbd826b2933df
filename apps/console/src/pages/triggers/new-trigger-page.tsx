import { getRouteApi } from "@tanstack/react-router";
import { BackLink } from "../../layout/back-link.tsx";
import { Page } from "../../layout/page.tsx";
import { UnauthorizedPage } from "../unauthorized/unauthorized-page.tsx";
import { TriggerForm } from "./form/trigger-form.tsx";
import { useTriggerTexts } from "./state/texts.ts";
import { TriggerGate } from "./trigger-gate.tsx";

const route = getRouteApi("/$slug/triggers/new");

/** `/{slug}/triggers/new`: creates a rule. */
export function NewTriggerPage() {
	const { slug } = route.useParams();
	const words = useTriggerTexts();
	return (
		<TriggerGate slug={slug}>
			{(scope, { mayChange }) =>
				mayChange ? (
					<>
						<BackLink to="/$slug/triggers" params={{ slug }}>
							{words.title}
						</BackLink>
						<Page title={words.form.newTitle} lead={words.form.newLead}>
							<TriggerForm scope={scope} trigger={undefined} />
						</Page>
					</>
				) : (
					<UnauthorizedPage />
				)
			}
		</TriggerGate>
	);
}
