// SPDX-License-Identifier: MIT
import { api, taken, type Schemas } from '../../api/client';

export type Property = Schemas['Property'];
export type Default = Property['default'];
const at = (key: string) => ({ params: { path: { key } } });

export const propertyAdd = (body: Schemas['NewProperty']) => taken(api.POST('/v1/properties', { body }));
export const propertyChange = (key: string, value: Default) => taken(api.PATCH('/v1/properties/{key}', { ...at(key), body: { default: value } }));
export const propertyDelete = (key: string) => taken(api.DELETE('/v1/properties/{key}', at(key)));
