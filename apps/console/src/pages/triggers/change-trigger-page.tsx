import { Notice } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { BackLink } from "../../layout/back-link.tsx";
import { Page } from "../../layout/page.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { UnauthorizedPage } from "../unauthorized/unauthorized-page.tsx";
import { TriggerForm } from "./form/trigger-form.tsx";
import { nameOfRule } from "./state/describe-trigger.ts";
import { useTriggerTexts } from "./state/texts.ts";
import { triggerQuery } from "./state/trigger.queries.ts";
import { TriggerGate } from "./trigger-gate.tsx";

const route = getRouteApi("/$slug/triggers/$id/change");

/** `/{slug}/triggers/{id}/change`: changes a rule of the tenant. */
export function ChangeTriggerPage() {
	const { slug, id } = route.useParams();
	return (
		<TriggerGate slug={slug}>
			{(scope, { mayChange }) =>
				mayChange ? <Changing key={id} scope={scope} id={id} /> : <UnauthorizedPage />
			}
		</TriggerGate>
	);
}

function Changing({ scope, id }: { scope: ServiceScope; id: string }) {
	const words = useTriggerTexts();
	const query = useQuery(triggerQuery(usePlatform(), scope, id));
	const name = query.data === undefined ? words.rule : nameOfRule(query.data, words);
	return (
		<>
			<BackLink to="/$slug/triggers/$id" params={{ slug: scope.slug, id }}>
				{name}
			</BackLink>
			<Page title={words.form.changeTitle(name)}>
				<Loaded query={query} isMain>
					{(trigger) =>
						trigger.is_platform ? (
							<Notice kind="warning">{words.ofPlatformLead}</Notice>
						) : (
							<TriggerForm scope={scope} trigger={trigger} />
						)
					}
				</Loaded>
			</Page>
		</>
	);
}
