import { buttonLook, compareNames, Notice } from "@lango/interface";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { BackLink } from "../../layout/back-link.tsx";
import { DetailRows } from "../../layout/details.tsx";
import { Page } from "../../layout/page.tsx";
import { Card } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useRoleTexts } from "../../roles/texts.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { wordFor } from "../../texts/texts.ts";
import { useTemplateTexts } from "../templates/draft/texts.ts";
import { RunsSection } from "./runs/runs-section.tsx";
import {
	describeCondition,
	describeDelay,
	describeDigest,
	describeRecipient,
	describeValue,
	nameOfEvent,
	nameOfRule,
} from "./state/describe-trigger.ts";
import { useTriggerTexts } from "./state/texts.ts";
import {
	changeTrigger,
	removeTrigger,
	type Trigger,
	triggerQuery,
	triggersKey,
} from "./state/trigger.queries.ts";
import { TriggerGate } from "./trigger-gate.tsx";
import { TriggerState } from "./triggers-page.tsx";

const route = getRouteApi("/$slug/triggers/$id");

/** `/{slug}/triggers/{id}`: a rule with its runs. Those of the platform can only be switched on and off. */
export function TriggerPage() {
	const { slug, id } = route.useParams();
	return <TriggerGate slug={slug}>{(scope, may) => <One scope={scope} id={id} {...may} />}</TriggerGate>;
}

type One = { scope: ServiceScope; id: string; mayChange: boolean };

function One({ scope, id, mayChange }: One) {
	const words = useTriggerTexts();
	const query = useQuery(triggerQuery(usePlatform(), scope, id));
	const found = query.data;
	return (
		<>
			<BackLink to="/$slug/triggers" params={{ slug: scope.slug }}>
				{words.title}
			</BackLink>
			<Page
				title={found === undefined ? words.rule : nameOfRule(found, words)}
				lead={found && nameOfEvent(found.event, words)}
				actions={found !== undefined && mayChange && <Actions scope={scope} trigger={found} />}
			>
				<Loaded query={query} isMain>
					{(trigger) => (
						<>
							<div className="grid gap-5">
								{trigger.is_platform && <Notice kind="warning">{words.ofPlatformLead}</Notice>}
								<div className="grid items-start gap-5 lg:grid-cols-2">
									<Facts trigger={trigger} />
									<Values trigger={trigger} />
								</div>
							</div>
							<RunsSection scope={scope} triggerId={id} mayReplay={mayChange} />
						</>
					)}
				</Loaded>
			</Page>
		</>
	);
}

function Actions({ scope, trigger }: { scope: ServiceScope; trigger: Trigger }) {
	const platform = usePlatform();
	const words = useTriggerTexts();
	const queries = useQueryClient();
	const navigate = useNavigate();
	const { id, enabled, is_platform } = trigger;
	const { slug } = scope;
	const name = nameOfRule(trigger, words);
	const common = { name, invalidates: triggersKey(scope), messages: words.errors };
	return (
		<div className="flex flex-wrap gap-3">
			{!is_platform && (
				<Link to="/$slug/triggers/$id/change" params={{ slug, id }} className={buttonLook("plain")}>
					{words.change}
				</Link>
			)}
			<ConfirmButton
				{...common}
				key={String(enabled)}
				texts={enabled ? words.switchOff : words.switchOn}
				isDestructive={enabled}
				action={() => changeTrigger(platform, { scope, id }, { enabled: !enabled })}
			/>
			{!is_platform && (
				<ConfirmButton
					{...common}
					texts={words.remove}
					isDestructive
					asksByName
					action={() => removeTrigger(platform, { scope, id })}
					redirect={() => navigate({ to: "/$slug/triggers", params: { slug } })}
					onDone={() => queries.removeQueries({ queryKey: [...triggersKey(scope), "one", id] })}
				/>
			)}
		</div>
	);
}

function Facts({ trigger }: { trigger: Trigger }) {
	const words = useTriggerTexts();
	const { channelNames } = useTemplateTexts();
	const { roles } = useRoleTexts();
	const { event, template, channels, mode, recipients, conditions, people, delay_seconds, digest } = trigger;
	const about = { words, people, roleOf: (role: string) => wordFor(roles, role) };
	return (
		<Card title={words.facts} aside={<TriggerState isOn={trigger.enabled} />}>
			<DetailRows
				rows={[
					[words.event, event],
					[
						words.conditions,
						conditions.length === 0 ? (
							words.always
						) : (
							<Lines key="conditions" lines={conditions.map((one) => describeCondition(one, words))} />
						),
					],
					[words.template, template],
					[words.channels, channels.map((channel) => channelNames[channel]).join(", ")],
					[words.mode, channels.length > 1 ? words.modes[mode] : null],
					[
						words.recipients,
						<Lines key="recipients" lines={recipients.map((one) => describeRecipient(one, about))} />,
					],
					[words.delay, describeDelay(delay_seconds, words)],
					[words.digest, trigger.is_platform ? null : describeDigest(digest, words)],
				]}
			/>
		</Card>
	);
}

function Lines({ lines }: { lines: readonly string[] }) {
	return lines.map((line) => (
		<span key={line} className="block">
			{line}
		</span>
	));
}

function Values({ trigger: { map } }: { trigger: Trigger }) {
	const words = useTriggerTexts();
	return (
		<Card title={words.values}>
			<p className="mb-4 text-quiet">{words.valuesLead}</p>
			<DetailRows
				rows={Object.entries(map)
					.toSorted(([one], [other]) => compareNames(one, other))
					.map(([name, value]) => [name, describeValue(value, words)])}
			/>
		</Card>
	);
}
