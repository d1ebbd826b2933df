import { queryOptions } from "@tanstack/react-query";
import { wholeOf } from "../../inbox/inbox.queries.ts";
import type { Platform } from "../../platform.ts";
import type { Channel } from "../templates/draft/templates.queries.ts";

type Chooser = "person" | "tenant" | "platform";
export type CategoryChoices = {
	category: string;
	is_critical: boolean;
	channels: Record<Channel, { is_on: boolean; chosen_by: Chooser | null }>;
};
export type Defaults = { categories: CategoryChoices[] };
export type Settings = {
	locale: string | null;
	time_zone: string | null;
	quiet_hours: { from: string; until: string } | null;
};
export type Preferences = Defaults & Settings;
/** Choices as they are sent. What is left out is the default. */
export type Choices = Record<string, Partial<Record<Channel, boolean>>>;

export type Contact = {
	id: string;
	channel: Channel;
	address_masked: string;
	verified_at: string | null;
	invalid_at: string | null;
};
export type Device = { id: string; platform: string; token_masked: string; created_at: string };

/** Where a person's own things are: the address of the notification service, and the tenant. */
export type Own = { address: string; slug: string };

export const preferencesKey = (slug: string, ...part: string[]) => ["preferences", slug, ...part];

export const preferencesQuery = (platform: Platform, { address, slug }: Own) =>
	queryOptions({
		queryKey: preferencesKey(slug, "own"),
		queryFn: ({ signal }) =>
			platform.client.call<Preferences>(`${address}/preferences`, { ...wholeOf(platform, slug), signal }),
	});

export const defaultsQuery = (platform: Platform, { address, slug }: Own) =>
	queryOptions({
		queryKey: preferencesKey(slug, "defaults"),
		queryFn: ({ signal }) =>
			platform.client.call<Defaults>(`${address}/preferences/defaults`, {
				...wholeOf(platform, slug),
				signal,
			}),
	});

/** A list of a person's own things. It is bounded, so it has one page. */
export const ownListQuery = <T>(platform: Platform, { address, slug }: Own, path: string) =>
	queryOptions({
		queryKey: preferencesKey(slug, path),
		queryFn: async ({ signal }) =>
			(
				await platform.client.call<{ items: T[] }>(`${address}/${path}`, {
					...wholeOf(platform, slug),
					signal,
				})
			).items,
	});
