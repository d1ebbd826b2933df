import { Button, Notice } from "@lango/interface";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { CopiedText } from "../../fields/copied-text.tsx";
import { BackLink } from "../../layout/back-link.tsx";
import { Detail, Details } from "../../layout/details.tsx";
import { Page } from "../../layout/page.tsx";
import { Card } from "../../layout/section.tsx";
import { ErrorNotice } from "../../notices/error-notice.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { HealthChart } from "./health-chart.tsx";
import {
	checkProvider,
	healthQuery,
	issueWebhookToken,
	type Provider,
	type ProviderScope,
	providerQuery,
	providersKey,
	removeProvider,
} from "./provider.queries.ts";
import { ProviderDialog } from "./provider-dialog.tsx";
import { ProviderGate } from "./provider-gate.tsx";
import { isKind, nameOfKind } from "./provider-kinds.ts";
import { ProviderState } from "./providers-page.tsx";
import { useProviderTexts } from "./texts.ts";

const tenantRoute = getRouteApi("/$slug/providers/$id");
const platformRoute = getRouteApi("/$slug/platform/providers/$id");

/** `/{slug}/providers/{id}`: a provider with its health. Those of the platform can only be read. */
export function ProviderPage() {
	const { slug, id } = tenantRoute.useParams();
	return (
		<ProviderGate slug={slug}>
			{(scope, { mayChange }) => <One scope={scope} id={id} mayChange={mayChange} />}
		</ProviderGate>
	);
}

/** `/{slug}/platform/providers/{id}`: a provider of the platform. */
export function PlatformProviderPage() {
	const { slug, id } = platformRoute.useParams();
	return (
		<ProviderGate slug={slug} isForPlatform>
			{(scope, { mayChange }) => <One scope={scope} id={id} mayChange={mayChange} />}
		</ProviderGate>
	);
}

type One = { scope: ProviderScope; id: string; mayChange: boolean };

function One({ scope, id, mayChange }: One) {
	const words = useProviderTexts();
	const platform = usePlatform();
	const query = useQuery(providerQuery(platform, scope, id));
	const health = useQuery(healthQuery(platform, scope, id));
	const isPlatform = scope.platformId !== undefined;
	const found = query.data;
	const isOwn = found !== undefined && (found.owner === "platform") === isPlatform;
	return (
		<>
			<BackLink
				to={isPlatform ? "/$slug/platform/providers" : "/$slug/providers"}
				params={{ slug: scope.slug }}
			>
				{isPlatform ? words.platformTitle : words.title}
			</BackLink>
			<Page
				title={found?.name ?? words.one}
				lead={found && `${words.channels[found.channel]} · ${nameOfKind(found.kind, words)}`}
				actions={isOwn && mayChange && <Actions scope={scope} provider={found} />}
			>
				<Loaded query={query} isMain>
					{(provider) => (
						<div className="grid gap-5">
							{!isOwn && <Notice kind="warning">{words.ofPlatform}</Notice>}
							<Facts provider={provider} />
							<Card title={words.health}>
								<Loaded query={health}>{({ items, at }) => <HealthChart items={items} at={at} />}</Loaded>
							</Card>
							{isOwn && mayChange && (
								<div className="grid items-start gap-5 lg:grid-cols-2">
									<CheckCard scope={scope} id={id} />
									<WebhookCard scope={scope} provider={provider} />
								</div>
							)}
						</div>
					)}
				</Loaded>
			</Page>
		</>
	);
}

function Facts({ provider }: { provider: Provider }) {
	const words = useProviderTexts();
	const format = useFormat();
	const { weight, resting_weight, per_second, in_flight_max, from_address, degraded_at, created_at } =
		provider;
	return (
		<Card title={words.facts} aside={<ProviderState provider={provider} />}>
			<Details>
				{from_address !== null && <Detail label={words.credentials.fromAddress}>{from_address}</Detail>}
				<Detail label={words.weight}>{format.number(weight)}</Detail>
				<Detail label={words.numbers.resting_weight}>{format.number(resting_weight)}</Detail>
				<Detail label={words.pace}>{words.paceOf(format.number(per_second))}</Detail>
				<Detail label={words.numbers.in_flight_max}>{format.number(in_flight_max)}</Detail>
				<Detail label={words.degradedSince}>{degraded_at === null ? "–" : format.time(degraded_at)}</Detail>
				<Detail label={words.since}>{format.time(created_at)}</Detail>
			</Details>
		</Card>
	);
}

function Actions({ scope, provider }: { scope: ProviderScope; provider: Provider }) {
	const platform = usePlatform();
	const words = useProviderTexts();
	const queries = useQueryClient();
	const navigate = useNavigate();
	const [isChanging, setChanging] = useState(false);
	const { id, name, kind } = provider;
	const { slug, platformId } = scope;
	const list = platformId === undefined ? "/$slug/providers" : "/$slug/platform/providers";
	return (
		<div className="flex flex-wrap gap-3">
			{isKind(kind) && (
				<Button aria-haspopup="dialog" onClick={() => setChanging(true)}>
					{words.change}
				</Button>
			)}
			<ConfirmButton
				texts={words.remove}
				isDestructive
				name={name}
				asksByName
				action={() => removeProvider(platform, { scope, id })}
				redirect={() => navigate({ to: list, params: { slug } })}
				onDone={() => queries.removeQueries({ queryKey: [...providersKey(scope), "one", id] })}
				invalidates={[...providersKey(scope), "list"]}
				messages={words.errors}
			/>
			{isChanging && <ProviderDialog scope={scope} provider={provider} onClose={() => setChanging(false)} />}
		</div>
	);
}

/** Tries the credentials, and shows the result until the next try. */
function CheckCard({ scope, id }: { scope: ProviderScope; id: string }) {
	const platform = usePlatform();
	const words = useProviderTexts();
	const attempt = useMutation({ mutationFn: () => checkProvider(platform, { scope, id }) });
	const result = attempt.data;
	return (
		<Card title={words.checkTitle}>
			<p className="mb-4 text-quiet">{words.checkLead}</p>
			<div className="grid justify-items-start gap-4" aria-live="polite">
				{result !== undefined && !attempt.isPending && (
					<Notice kind={result.ok ? "done" : "error"}>
						{result.ok ? words.works : words.fails(result.code ?? "–")}
					</Notice>
				)}
				<ErrorNotice error={attempt.error} messages={words.errors} />
				<Button busyText={attempt.isPending ? words.checking : undefined} onClick={() => attempt.mutate()}>
					{words.check}
				</Button>
			</div>
		</Card>
	);
}

/** The address for the provider's reports. A new token makes the one before invalid. */
function WebhookCard({ scope, provider: { id, name } }: { scope: ProviderScope; provider: Provider }) {
	const platform = usePlatform();
	const words = useProviderTexts();
	const [address, setAddress] = useState<string>();
	return (
		<Card title={words.webhook}>
			<p className="mb-4 text-quiet">{words.webhookLead}</p>
			<div className="grid justify-items-start gap-4" aria-live="polite">
				{address !== undefined && (
					<Notice kind="warning">
						<p className="mb-1">{words.webhookOnce}</p>
						<CopiedText label={words.webhookAddress} text={address} />
					</Notice>
				)}
				<ConfirmButton
					texts={words.issue}
					isDestructive
					name={name}
					asksByName
					action={async () => setAddress((await issueWebhookToken(platform, { scope, id })).webhook_url)}
					messages={words.errors}
				/>
			</div>
		</Card>
	);
}
