import { TextField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { errorsOf } from "../../forms/rules.ts";
import { SaveForm } from "../../forms/save-form.tsx";
import type { Field } from "../../forms/submit-form.tsx";
import { Badge } from "../../layout/badge.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { changeLimits, type Limit, limitsKey, limitsQuery } from "./limit.queries.ts";
import { checkLimits, fieldOf, readLimits } from "./limit-form.ts";
import { useLimitTexts } from "./texts.ts";

type LimitsForm = {
	scope: Pick<ServiceScope, "service" | "slug">;
	/** Whether the user is the platform owner, who may go above the ceiling. */
	mayRaise: boolean;
	mayChange: boolean;
	/** Whether they are the defaults of every tenant. */
	isDefault?: boolean;
	/** Whether the form is the main content of the page; see Loaded. */
	isMain?: boolean;
};

/** The limits of a tenant by channel: read, or changed. */
export function LimitsForm({ isMain = false, ...form }: LimitsForm) {
	const limits = useQuery(limitsQuery(usePlatform(), form.scope));
	return (
		<Loaded query={limits} isMain={isMain}>
			{(found) => <Limits key={JSON.stringify(found)} {...form} limits={found} />}
		</Loaded>
	);
}

type Limits = Omit<LimitsForm, "isMain"> & { limits: readonly Limit[] };

function Limits({ scope, mayRaise, mayChange, isDefault = false, limits }: Limits) {
	const platform = usePlatform();
	const words = useLimitTexts();
	const check = (entered: FormData) => {
		const wrong = checkLimits(entered, limits, { words, mayRaise });
		if (wrong.length > 0) return wrong;
		const isSame = Object.keys(readLimits(entered, limits)).length === 0;
		return errorsOf([[isSame, undefined, words.unchanged]]);
	};
	if (!mayChange) return limits.map((limit) => <ReadLimit key={limit.channel} limit={limit} />);
	const isChanged = !isDefault && limits.some(({ is_platform }) => !is_platform);
	return (
		<SaveForm
			texts={words}
			save={(entered) => changeLimits(platform, scope, readLimits(entered, limits))}
			invalidates={limitsKey(scope.slug)}
			messages={words.errors}
			check={check}
			aside={isChanged && <Reset scope={scope} limits={limits} />}
		>
			{(field) => (
				<>
					{!isDefault && <p className="text-quiet">{mayRaise ? words.raiseNote : words.lowerNote}</p>}
					{limits.map((limit) => (
						<LimitFields key={limit.channel} limit={limit} field={field} isDefault={isDefault} />
					))}
				</>
			)}
		</SaveForm>
	);
}

function LimitFields({ limit, field, isDefault }: { limit: Limit; field: Field; isDefault: boolean }) {
	const words = useLimitTexts();
	const format = useFormat();
	const { channel, ceiling, is_platform } = limit;
	return (
		<fieldset className="mt-6 min-w-0">
			<legend className="flex flex-wrap items-center gap-3 font-semibold">
				{words.channels[channel]}
				{!isDefault && (
					<Badge kind={is_platform ? "plain" : "done"}>
						{is_platform ? words.platformDefault : words.changed}
					</Badge>
				)}
			</legend>
			{!isDefault && (
				<p className="text-quiet">
					{words.ceiling(format.number(ceiling.per_minute), format.number(ceiling.burst))}
				</p>
			)}
			<div className="grid gap-x-4 sm:grid-cols-2">
				{(["per_minute", "burst"] as const).map((member) => (
					<TextField
						key={member}
						{...field(fieldOf(channel, member))}
						label={`${words.channels[channel]}, ${words.members[member]}`}
						defaultValue={String(limit[member])}
						inputMode="numeric"
						maxLength={7}
					/>
				))}
			</div>
		</fieldset>
	);
}

function ReadLimit({ limit: { channel, per_minute, burst } }: { limit: Limit }) {
	const words = useLimitTexts();
	const format = useFormat();
	return (
		<p>
			{words.channels[channel]}: {format.number(per_minute)} {words.members.per_minute},{" "}
			{format.number(burst)} {words.members.burst}
		</p>
	);
}

function Reset({ scope, limits }: Pick<Limits, "scope" | "limits">) {
	const platform = usePlatform();
	const words = useLimitTexts();
	const all = Object.fromEntries(limits.map(({ channel }) => [channel, null]));
	return (
		<ConfirmButton
			texts={words.reset}
			isDestructive
			action={() => changeLimits(platform, scope, all)}
			invalidates={limitsKey(scope.slug)}
			messages={words.errors}
		/>
	);
}
